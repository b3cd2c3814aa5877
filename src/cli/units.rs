//! Sizes and durations as people write them.

use std::time::Duration;

/// `4096`, `512K`, `512M`, `4G`, `1.5G`: powers of 1024.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is no size; write 512M or 4G");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..]
        .to_ascii_uppercase()
        .trim_end_matches("IB")
        .trim_end_matches('B')
    {
        "" => 1u64,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    if !(number > 0.0 && number.is_finite()) {
        return Err(wrong());
    }
    Ok((number * unit as f64) as u64)
}

/// `10`, `10s`, `500ms`, `5m`, `1.5h`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is no duration; write 90s or 10m");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("4096", 4096),
            ("1k", 1024),
            ("512M", 512 << 20),
            ("1.5GiB", 3 << 29),
            ("2GB", 2 << 30),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "-1M", "1X", "0", "1 G", "nan"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations() {
        for (text, ms) in [
            ("10", 10_000),
            ("10s", 10_000),
            ("500ms", 500),
            ("5m", 300_000),
            ("1.5h", 5_400_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "-1s", "1d", "inf"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
