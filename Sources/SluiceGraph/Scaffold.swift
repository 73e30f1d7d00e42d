enum SluiceGraphScaffold {}
