enum BitstreamTestsScaffold {}
