import dev.isthmus.*
import dev.isthmus.cm.*
import dev.isthmus.ucx.*
import dev.isthmus.verbs.*
import dev.isthmus.verbs.attributes.*
import dev.isthmus.verbs.exchange.*
import java.lang.foreign.*
import java.time.Duration
var device = Device.first().open()
