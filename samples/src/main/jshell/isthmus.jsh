// SPDX-License-Identifier: Apache-2.0
import dev.isthmus.*
import dev.isthmus.cm.*
import dev.isthmus.ucx.*
import dev.isthmus.verbs.*
import dev.isthmus.verbs.attributes.*
import dev.isthmus.verbs.cqex.*
import dev.isthmus.verbs.devicememory.*
import dev.isthmus.verbs.exchange.*
import dev.isthmus.verbs.flow.*
import dev.isthmus.verbs.rss.*
import dev.isthmus.verbs.tags.*
import dev.isthmus.verbs.xrc.*
import java.lang.foreign.*
import java.time.Duration
import dev.isthmus.verbs.flow.Flow
var device = Device.first().open()
