from bookshelf.cli import main

raise SystemExit(main())
