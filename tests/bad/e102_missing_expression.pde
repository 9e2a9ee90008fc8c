pde P
space x in [0, 1]
in
