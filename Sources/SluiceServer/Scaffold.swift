enum SluiceServerScaffold {}
