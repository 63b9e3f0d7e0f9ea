/** OpenSSL checks our output: it must verify, and have the intended content. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect, type TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createAuthority, createPrivateKeyPem, createRequest, parseRequest, validFor } from "../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-pki-"));
after(() => rmSync(folder, { recursive: true }));

const program = "openssl";
const hasOpenssl = spawnSync(program, ["version"]).status === 0;
const skip = hasOpenssl || process.env["CI"] === "true" ? false : "openssl is not installed";
const now = new Date();

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function openssl(...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

for (const keyKind of ["ec-p256", "rsa-2048"] as const) {
  test(`openssl accepts what an authority with an ${keyKind} key issues`, { skip }, () => {
    const authority = createAuthority({ commonName: "test-ca", organizations: ["Tests"], now, days: 10, keyKind });
    const leaf = authority.issue({
      commonName: "system:node:a",
      organizations: ["system:nodes", "ünïcode"],
      dnsNames: ["localhost", "*.default.svc"],
      ipAddresses: ["127.0.0.1", "fd00::1:2", "::1"],
      usages: ["server", "client"],
      keyKind,
      ...validFor({ now, days: 5 }),
    });
    const caFile = file(`${keyKind}-ca.pem`, authority.certificate);
    const leafFile = file(`${keyKind}-leaf.pem`, leaf.certificate);
    for (const purpose of ["sslserver", "sslclient"]) {
      assert.match(openssl("verify", "-x509_strict", "-purpose", purpose, "-CAfile", caFile, leafFile), /: OK/);
    }
    const text = openssl("x509", "-in", leafFile, "-noout", "-text", "-nameopt", "utf8,sep_comma_plus");
    assert.match(text, /Subject: O=system:nodes,O=ünïcode,CN=system:node:a/);
    assert.match(text, /DNS:localhost, DNS:\*\.default\.svc, IP Address:127\.0\.0\.1, IP Address:FD00:0:0:0:0:0:1:2/);
    assert.match(text, /TLS Web Server Authentication, TLS Web Client Authentication/);
    assert.match(text, /CA:FALSE/);
    assert.match(openssl("x509", "-in", caFile, "-noout", "-text"), /CA:TRUE/);
  });

  test(`openssl verifies a request made with an ${keyKind} key, and we verify openssl's`, { skip }, () => {
    const privateKey = createPrivateKeyPem(keyKind);
    const request = createRequest({
      commonName: "jane",
      organizations: ["devs"],
      dnsNames: ["jane.local"],
      privateKey,
    });
    const requestFile = file(`${keyKind}.csr`, request);
    assert.match(openssl("req", "-in", requestFile, "-verify", "-noout", "-text"), /DNS:jane\.local/);

    const keyFile = file(`${keyKind}-request.key`, privateKey);
    const theirs = openssl(
      "req",
      "-new",
      "-key",
      keyFile,
      "-subj",
      "/O=ops/CN=joe",
      "-addext",
      "subjectAltName=IP:10.0.0.1",
    );
    const parsed = parseRequest(theirs);
    assert.deepEqual(parsed.subject, { commonName: "joe", organizations: ["ops"] });
    assert.deepEqual(parsed.ipAddresses, ["10.0.0.1"]);
  });
}

test("a TLS connection with certificates on both ends works", async () => {
  const authority = createAuthority({ commonName: "tls-ca", now, days: 1 });
  const names = { dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"] };
  const period = validFor({ now, days: 1 });
  const server = authority.issue({ commonName: "server", usages: ["server"], ...names, ...period });
  const client = authority.issue({ commonName: "client", usages: ["client"], ...period });
  const ends = { ca: authority.certificate };
  const listener = createServer({
    ...ends,
    cert: server.certificate,
    key: server.privateKey,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const greeted = new Promise<string>((resolve) => {
    listener.on("secureConnection", (socket: TLSSocket) => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const socket = connect({ ...ends, host: "127.0.0.1", port, cert: client.certificate, key: client.privateKey });
  assert.equal(await greeted, "client");
  socket.destroy();
  listener.close();
});
