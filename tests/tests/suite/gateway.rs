//! The wire: every fault of the catalogue, whole turns over TCP, properties, the proxy.

#[path = "gateway/app.rs"]
mod app;
#[path = "gateway/hostile.rs"]
mod hostile;
#[path = "gateway/property.rs"]
mod property;
#[path = "gateway/proxy.rs"]
mod proxy;
#[path = "gateway/replay.rs"]
mod replay;
#[path = "gateway/rows.rs"]
mod rows;
#[path = "gateway/turns.rs"]
mod turns;
#[cfg(unix)]
#[path = "gateway/way_there.rs"]
mod way_there;
