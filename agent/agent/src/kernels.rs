//! `virtometer-agent kernels`: the table of kernels, for people and as JSON.

use crate::{help, options};
use serde::Serialize;
use serde_json::Value;
use virtometer_kernels::{quantity, Arrays, Judged, Kernel, Measure, Op, Parameter, ParameterKind, Preset, KERNELS};
use virtometer_protocol::{Better, Failure};

#[derive(Serialize)]
struct Table {
    kernels: Vec<KernelRow>,
}

#[derive(Serialize)]
struct KernelRow {
    name: &'static str,
    summary: &'static str,
    operations: Vec<OperationRow>,
}

#[derive(Serialize)]
struct OperationRow {
    name: &'static str,
    unit: &'static str,
    better: Better,
    work: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    arrays: Option<ArraysRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judged: Option<JudgedRow>,
    parameters: Vec<ParameterRow>,
    measures: Vec<MeasureRow>,
}

/// How many arrays of `size` bytes are in memory at the same time, and how many of them are counted as moved.
#[derive(Serialize)]
struct ArraysRow {
    held: u64,
    moved: u64,
}

/// The histogram whose mean is compared instead of the value, and the measure that the value should reach.
#[derive(Serialize)]
struct JudgedRow {
    metric: &'static str,
    histogram: &'static str,
    wanted: &'static str,
}

#[derive(Serialize)]
struct MeasureRow {
    name: &'static str,
    unit: &'static str,
    timed_by: &'static str,
    meaning: &'static str,
}

/// Fields without a value are left out.
#[derive(Serialize)]
struct ParameterRow {
    name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
    /// What holds where neither a value is given nor a default exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    otherwise: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<&'static [&'static str]>,
    meaning: &'static str,
}

/// Obey `kernels [--json]`.
pub(crate) fn kernels(words: &[String]) -> Result<u8, Failure> {
    if help::wanted(words) {
        return help::print(&help::text());
    }
    match words {
        [] => help::print(help::kernels().trim_start()),
        [word] if word == "--json" => {
            let table = Table { kernels: KERNELS.iter().map(of_kernel).collect() };
            let text = serde_json::to_string_pretty(&table)
                .map_err(|cause| options::usage(&format!("cannot write the table: {cause}")))?;
            help::print(&format!("{text}\n"))
        }
        _ => Err(options::usage("kernels takes --json and nothing else")),
    }
}

fn of_kernel(kernel: &Kernel) -> KernelRow {
    KernelRow { name: kernel.name, summary: kernel.summary, operations: kernel.ops.iter().map(of_operation).collect() }
}

fn of_operation(op: &Op) -> OperationRow {
    OperationRow {
        name: op.name,
        unit: op.unit.name(),
        better: op.unit.better(),
        work: op.work,
        arrays: op.arrays.map(|Arrays { held, moved }| ArraysRow { held, moved }),
        judged: op.judged.map(|Judged { metric, histogram, wanted }| JudgedRow { metric, histogram, wanted }),
        parameters: op.parameters.iter().map(of_parameter).collect(),
        measures: op
            .measures
            .iter()
            .map(|&Measure { name, unit, timed_by, meaning }| MeasureRow {
                name,
                unit,
                timed_by: timed_by.name(),
                meaning,
            })
            .collect(),
    }
}

fn of_parameter(parameter: &Parameter) -> ParameterRow {
    let (kind, bounds, choices) = match parameter.kind {
        ParameterKind::Integer { least, most, .. } => ("integer", Some((least, most)), None),
        ParameterKind::Boolean => ("boolean", None, None),
        ParameterKind::Text => ("text", None, None),
        ParameterKind::Choice(words) => ("choice", None, Some(words)),
    };
    let default = match (parameter.preset, parameter.kind) {
        (Preset::Value(value), ParameterKind::Integer { .. }) => quantity(value).map(Value::from),
        (Preset::Value(value), ParameterKind::Boolean) => Some(Value::from(value == "true")),
        (Preset::Value(value), _) => Some(Value::from(value)),
        (Preset::Missing | Preset::Otherwise(_), _) => None,
    };
    let otherwise = match parameter.preset {
        Preset::Otherwise(then) => Some(then),
        Preset::Missing | Preset::Value(_) => None,
    };
    let unit = match parameter.kind {
        ParameterKind::Integer { unit, .. } => unit,
        ParameterKind::Boolean | ParameterKind::Text | ParameterKind::Choice(_) => None,
    };
    ParameterRow {
        name: parameter.name,
        kind,
        unit,
        required: parameter.preset == Preset::Missing,
        default,
        otherwise,
        minimum: bounds.map(|(least, _)| least),
        maximum: bounds.map(|(_, most)| most),
        choices,
        meaning: parameter.meaning,
    }
}
