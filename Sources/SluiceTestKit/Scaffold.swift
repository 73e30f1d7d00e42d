enum SluiceTestKitScaffold {}
