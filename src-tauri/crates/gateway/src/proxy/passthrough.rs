//! The way of requests without tools: bytes as they come, in both directions. No decoding, no filter, no buffer.

use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName};
use hyper::{Response, StatusCode};

use super::Shared;
use super::route::{Answer, BoxError, Whole, refusal};
use crate::error::ErrorCode;
use crate::turn::attempt::{network_fault, own_headers};

/// Headers that belong to one connection (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Sends the request on and gives the answer back as it arrives.
pub(super) async fn forward(whole: Whole, shared: Arc<Shared>) -> Answer {
    let url = match shared.upstream.url(&whole.path) {
        Ok(url) => url,
        Err(error) => return refusal(StatusCode::BAD_GATEWAY, error.code.as_str(), &error.message),
    };
    // `..` in the path would leave the endpoint's base, and the key would go along.
    let is_below = shared.upstream.url("").is_ok_and(|base| url.path().starts_with(base.path()));
    if !is_below {
        return refusal(StatusCode::BAD_REQUEST, "invalid_request", "the path leaves the endpoint");
    }
    shared.counters.add("stet_proxy_passthrough_total", "", 1);
    let request = shared
        .http
        .request(whole.method, url)
        .headers(request_headers(&whole.headers, &shared))
        .body(whole.body);
    // A client that leaves drops this future or the answer's body, and with it the connection to the endpoint.
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) => {
            let fault = network_fault(&error);
            shared.counters.add("stet_proxy_passthrough_failed_total", "", 1);
            let status = if fault.code == ErrorCode::TimeoutConnect {
                StatusCode::GATEWAY_TIMEOUT
            } else {
                StatusCode::BAD_GATEWAY
            };
            return refusal(status, fault.code.as_str(), &fault.message);
        }
    };
    let (mut parts, body) = hyper::http::Response::<reqwest::Body>::from(response).into_parts();
    drop_hop_by_hop(&mut parts.headers);
    Response::from_parts(parts, body.map_err(|error| BoxError::from(error.without_url())).boxed_unsync())
}

/// The client's headers for the endpoint, with the endpoint's own key.
pub(super) fn request_headers(client: &HeaderMap, shared: &Shared) -> HeaderMap {
    let mut headers = client.clone();
    drop_hop_by_hop(&mut headers);
    headers.remove(HOST);
    headers.remove(CONTENT_LENGTH);
    if shared.token.is_some() || shared.upstream.key.is_some() {
        headers.remove(AUTHORIZATION);
    }
    headers.extend(own_headers(&shared.upstream));
    headers
}

fn drop_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}
