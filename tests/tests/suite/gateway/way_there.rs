//! Certificates and the system's proxies. Both are read from the environment, so each question is asked by a process of its own.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use gateway::testing::{Reply, Upstream};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// What a fresh process finds at each address: `{"ok": [models]}` or `{"code", "message"}`.
fn ask(environment: &[(&str, &str)], urls: &[String]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway_rig"));
    command.arg("ask").args(urls);
    for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        command.env_remove(name).env_remove(name.to_uppercase());
    }
    let output = command.envs(environment.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn asked(environment: Vec<(&'static str, String)>, urls: Vec<String>) -> Vec<Value> {
    let work = move || {
        let environment: Vec<(&str, &str)> =
            environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        ask(&environment, &urls)
    };
    tokio::task::spawn_blocking(work).await.unwrap()
}

type Issuer = CertifiedIssuer<'static, KeyPair>;

fn issuer(name: &str) -> Issuer {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A server with a certificate for this name, until then.
async fn secure_server(issuer: &Issuer, name: &str, until: i32) -> String {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(until, 1, 1);
    let certificate = params.signed_by(&key, issuer).unwrap();
    let private = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/v1", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut secure) = acceptor.accept(connection).await else { return };
                let mut request = [0_u8; 4096];
                let _ = secure.read(&mut request).await;
                let body = json!({"data": [{"id": "m"}]}).to_string();
                let head =
                    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
                let _ = secure.write_all((head + &body).as_bytes()).await;
                let _ = secure.shutdown().await;
            });
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_that_does_not_hold_is_said() {
    let (trusted, stranger, forger) = (issuer("House"), issuer("Stranger"), issuer("House"));
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, trusted.pem()).unwrap();
    let urls = vec![
        secure_server(&trusted, "localhost", 4000).await,
        secure_server(&stranger, "localhost", 4000).await,
        secure_server(&trusted, "localhost", 2021).await,
        secure_server(&trusted, "example.org", 4000).await,
        secure_server(&forger, "localhost", 4000).await,
    ];
    let environment = vec![("SSL_CERT_FILE", path_text(&roots)), ("SSL_CERT_DIR", path_text(folder.path()))];
    let found = asked(environment, urls).await;
    assert_eq!(
        found[0],
        json!({"ok": ["m"]}),
        "a good one is taken, so the others are refused for their own reason"
    );
    for (answer, words) in
        found[1..].iter().zip(["issued by nobody", "has expired", "for another name", "not signed by"])
    {
        assert_eq!(answer["code"], "tls_failed", "{answer}");
        assert!(answer["message"].as_str().unwrap().contains(words), "{words}: {answer}");
    }
}

fn path_text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_systems_proxy_is_used_but_not_for_this_machine_and_what_is_excepted() {
    let proxy = Upstream::with(|seen| {
        let is_tunnel = seen.method == "CONNECT";
        Some(if is_tunnel {
            Reply::status(403, &json!({}))
        } else {
            Reply::json(&json!({"data": [{"id": "far"}]}))
        })
    })
    .await
    .unwrap();
    let near = Upstream::with(|_| Some(Reply::json(&json!({"data": [{"id": "near"}]})))).await.unwrap();
    let address = format!("http://127.0.0.1:{}", proxy.port());
    let far = "http://models.invalid/v1".to_owned();
    let found = asked(vec![("HTTP_PROXY", address.clone())], vec![far.clone(), near.base_url()]).await;
    assert_eq!(found, [json!({"ok": ["far"]}), json!({"ok": ["near"]})]);
    let seen = proxy.requests();
    assert_eq!((seen.len(), seen[0].path.as_str()), (1, "http://models.invalid/v1/models"));

    let excepted = vec![("HTTP_PROXY", address.clone()), ("NO_PROXY", "models.invalid".to_owned())];
    let found = asked(excepted, vec![far]).await;
    assert_eq!(found[0]["code"], "connect_failed", "{}", found[0]);
    assert_eq!(proxy.requests().len(), 1, "it was asked directly");

    let secure = "https://models.invalid/v1".to_owned();
    let found = asked(vec![("HTTPS_PROXY", address)], vec![secure]).await;
    let last = proxy.requests().pop().unwrap();
    assert_eq!((last.method.as_str(), last.path.as_str()), ("CONNECT", "models.invalid:443"));
    assert_eq!(found[0]["code"], "connect_failed", "{}", found[0]);

    let dead = vec![("HTTP_PROXY", "http://127.0.0.1:9".to_owned())];
    let found = asked(dead, vec!["http://models.invalid/v1".to_owned()]).await;
    assert_eq!(found[0]["code"], "connect_failed", "{}", found[0]);
}
