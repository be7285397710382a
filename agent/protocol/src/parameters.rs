//! The parameters of a kernel: an object of plain values.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// One plain value. Floating-point numbers do not occur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `true` or `false`.
    Boolean(bool),
    /// An exact integer within ±[`crate::MAX_INTEGER`].
    Integer(i64),
    /// A text.
    Text(String),
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Scalar::Boolean(value) => serializer.serialize_bool(*value),
            Scalar::Integer(value) => serializer.serialize_i64(*value),
            Scalar::Text(value) => serializer.serialize_str(value),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Plain;
        impl Visitor<'_> for Plain {
            type Value = Scalar;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, an integer or a text")
            }
            fn visit_bool<E: Error>(self, value: bool) -> Result<Scalar, E> {
                Ok(Scalar::Boolean(value))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Scalar, E> {
                if value.unsigned_abs() > crate::MAX_INTEGER {
                    return Err(E::invalid_value(Unexpected::Signed(value), &"an integer within 2^53 - 1"));
                }
                Ok(Scalar::Integer(value))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Scalar, E> {
                let unexpected = Unexpected::Unsigned(value);
                let signed =
                    i64::try_from(value).map_err(|_| E::invalid_value(unexpected, &"an integer within 2^53 - 1"))?;
                self.visit_i64(signed)
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Scalar, E> {
                Ok(Scalar::Text(value.to_owned()))
            }
        }
        deserializer.deserialize_any(Plain)
    }
}

/// The parameters of a kernel by name. A name that occurs twice is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters(pub BTreeMap<String, Scalar>);

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.0)
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Unique;
        impl<'de> Visitor<'de> for Unique {
            type Value = Parameters;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of parameters")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
                let mut found = BTreeMap::new();
                while let Some((name, value)) = map.next_entry::<String, Scalar>()? {
                    if found.insert(name.clone(), value).is_some() {
                        return Err(A::Error::custom(format!("the parameter {name} occurs twice")));
                    }
                }
                Ok(Parameters(found))
            }
        }
        deserializer.deserialize_map(Unique)
    }
}
