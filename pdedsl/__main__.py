from pdedsl.cli import main

main()
