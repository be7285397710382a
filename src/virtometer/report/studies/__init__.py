"""Pages of published studies: the printed cells, and what stands for them in campaigns."""
