The heat equation is a good example.
