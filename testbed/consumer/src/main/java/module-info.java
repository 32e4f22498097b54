/** Somebody's program. */
module com.example.consumer {
    requires dev.isthmus;
}
