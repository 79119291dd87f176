// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measured distributions: points of a cumulative distribution function.

/// One, in the unit of probabilities.
pub const CERTAIN: u64 = 1_000_000_000_000_000;

/// What lies between two points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Values between two points are uniform.
    #[default]
    Linear,
    /// Only the points themselves are drawn.
    Steps,
}

/// Points of a cumulative distribution function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cdf {
    points: Vec<(u64, u64)>,
    interpolation: Interpolation,
}

impl Cdf {
    /// Value and probability of at most that value (in 10⁻¹⁵), rising to 10¹⁵.
    #[must_use]
    pub fn points(&self) -> &[(u64, u64)] {
        &self.points
    }

    /// What lies between two points.
    #[must_use]
    pub const fn interpolation(&self) -> Interpolation {
        self.interpolation
    }
}

/// Why points are no cumulative distribution function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CdfError {
    /// There is no point.
    Empty,
    /// A probability above 1.
    AboveOne,
    /// A value or a probability below the one before.
    Falls,
    /// The last probability, in 10⁻¹⁵, is not 1.
    EndsAt(u64),
}

/// The points of a [`Cdf`], added one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CdfPoints(Vec<(u64, u64)>);

impl CdfPoints {
    /// Adds a value and the probability of at most that value, in 10⁻¹⁵.
    ///
    /// # Errors
    /// [`CdfError::AboveOne`], [`CdfError::Falls`]: the point was not added.
    pub fn push(&mut self, value: u64, probability: u64) -> Result<(), CdfError> {
        if probability > CERTAIN {
            return Err(CdfError::AboveOne);
        }
        if self.0.last().is_some_and(|&(last, p)| value < last || probability < p) {
            return Err(CdfError::Falls);
        }
        self.0.push((value, probability));
        Ok(())
    }

    /// Number of points.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The function.
    ///
    /// # Errors
    /// [`CdfError::Empty`], [`CdfError::EndsAt`].
    pub fn finish(self, interpolation: Interpolation) -> Result<Cdf, CdfError> {
        match self.0.last() {
            None => Err(CdfError::Empty),
            Some(&(_, CERTAIN)) => Ok(Cdf { points: self.0, interpolation }),
            Some(&(_, last)) => Err(CdfError::EndsAt(last)),
        }
    }
}
