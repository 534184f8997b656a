"""Files in a bucket: the storage itself is in `evalapp.storage`."""
