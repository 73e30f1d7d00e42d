enum SluiceAVScaffold {}
