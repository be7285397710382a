//! What ends a run.

use crate::settings::{wrong, Settings};
use virtometer_protocol::{Failure, Scalar};

/// Sweeps after which a precision is given up, as in partdiff.
pub(super) const MOST_SWEEPS: u64 = 200_000;

/// What ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Termination {
    /// The window: every iteration makes the same sweeps from the same start.
    Window,
    /// So many sweeps.
    Iterations(u64),
    /// A sweep that changes no point by as much as this.
    Precision(f64),
}

impl Termination {
    pub(super) fn read(settings: &Settings<'_>) -> Result<Self, Failure> {
        let (iterations, precision) = (settings.given("iterations"), settings.given("precision"));
        let implied = match (iterations, precision) {
            (true, true) => return Err(wrong("give iterations or precision, not both")),
            (true, false) => "iterations",
            (false, true) => "precision",
            (false, false) => "window",
        };
        let given = settings.optional_text("termination")?.unwrap_or(implied);
        if implied != "window" && given != implied {
            return Err(wrong(format!("{implied} does not go with termination {given:?}")));
        }
        settings.take("termination", Scalar::Text(given.to_owned()));
        match given {
            "window" => Ok(Termination::Window),
            "iterations" => Ok(Termination::Iterations(settings.integer_or("iterations", 8000)?)),
            "precision" => {
                let exponent = settings.integer_or("precision", 4)?;
                // The number nearest to the power of ten, which multiplying would miss.
                let value = format!("1e-{exponent}").parse().map_err(|_| wrong("precision is no exponent"))?;
                Ok(Termination::Precision(value))
            }
            other => Err(wrong(format!("termination is {other:?}, not window, iterations or precision"))),
        }
    }
}
