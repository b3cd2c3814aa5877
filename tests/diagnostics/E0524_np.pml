init { np_ }
