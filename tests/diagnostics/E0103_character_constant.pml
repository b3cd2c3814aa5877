init { x = 'ab' }
