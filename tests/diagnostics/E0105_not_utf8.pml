init { café }
