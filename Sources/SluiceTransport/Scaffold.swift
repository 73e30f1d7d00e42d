enum SluiceTransportScaffold {}
