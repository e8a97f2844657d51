//! `ledger export`: the door to OpenTelemetry, where it is built in.

use super::Answer;
use super::filter::Filter;
use clap::Args as Group;

#[derive(Debug, Group)]
pub(super) struct Export {
    /// The collector, as http://127.0.0.1:4318; otherwise OTEL_EXPORTER_OTLP_ENDPOINT
    #[arg(long, value_name = "URL")]
    pub(super) to: Option<String>,
    /// A header for the collector; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) header: Vec<String>,
    /// Let entries go to another machine without encryption
    #[arg(long)]
    pub(super) unencrypted: bool,
    /// Only entries behind this number
    #[arg(long, value_name = "SEQ")]
    pub(super) after: Option<u64>,
    #[command(flatten)]
    pub(super) filter: Filter,
}

/// Sends what passes the filter.
#[cfg(feature = "otlp")]
pub(super) fn export(args: &Export) -> Answer {
    super::otlp::export(args)
}

/// Says why nothing is sent.
#[cfg(not(feature = "otlp"))]
pub(super) fn export(_args: &Export) -> Answer {
    Err("this ricasso was built without the feature otlp; build it with --features otlp".into())
}
