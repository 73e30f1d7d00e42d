enum SluiceBitstreamScaffold {}
