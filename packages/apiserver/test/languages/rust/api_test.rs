//! Creates a ConfigMap on the server of a kubeconfig with the standard library alone; crates such as `kube` read the same file.
//! The standard library has no TLS, so the server is one of `capstan apiserver --http`.
use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

fn main() {
    let kubeconfig = fs::read_to_string(env::var("KUBECONFIG").expect("KUBECONFIG is not set")).expect("no kubeconfig");
    let server = value_of(&kubeconfig, "server");
    let token = value_of(&kubeconfig, "token");
    let address = server.strip_prefix("http://").expect("the server of the kubeconfig does not use plain HTTP");
    let map = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"size":"3"}}"#;
    expect(201, &create(address, &token, map));
    expect(409, &create(address, &token, map));
    println!("passed");
}

/// Sends one request, and returns the whole response.
fn create(address: &str, token: &str, body: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("no connection");
    write!(
        connection,
        "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .expect("the request was not sent");
    let mut response = String::new();
    connection.read_to_string(&mut response).expect("the response was not read");
    response
}

fn expect(status: u16, response: &str) {
    assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{response}");
}

/// The value of a field, which may be in quotes.
fn value_of(kubeconfig: &str, field: &str) -> String {
    let clean = |text: &str| text.trim().trim_matches(|mark| mark == '"' || mark == ',').to_string();
    kubeconfig
        .lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| clean(name.trim_start_matches([' ', '-'])) == field)
        .map(|(_, value)| clean(value))
        .unwrap_or_else(|| panic!("the kubeconfig has no {field}"))
}
