"""What is shown and not compared: measures, clocks, samples."""
