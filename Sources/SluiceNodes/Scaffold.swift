enum SluiceNodesScaffold {}
