enum SluiceScaffold {}
