"""Where do bytes live? One contract over typed collections, with its engines beside it."""
