import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bundleCertificates,
  createAuthority,
  createPrivateKeyPem,
  createRequest,
  isTrusted,
  openAuthority,
  parseCertificate,
  parseRequest,
  PkiError,
  publicKeyPem,
  signJwt,
  splitBundle,
  systemEntropy,
  toJsonWebKey,
  toJwtKey,
  validFor,
  verifyJwt,
} from "./index.ts";

const now = new Date("2026-01-02T03:04:05Z");
const authority = createAuthority({ commonName: "ca", organizations: ["Org"], now, days: 365 });

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof PkiError && error.code === code;
}

test("an issued certificate has the requested content", () => {
  const { certificate } = authority.issue({
    commonName: "name",
    organizations: ["a", "b"],
    dnsNames: ["x.example"],
    ipAddresses: ["10.1.2.3", "2001:db8::5"],
    usages: ["client"],
    notBefore: now,
    notAfter: new Date("2055-06-01T00:00:00Z"),
  });
  const { publicKey, fingerprint, serialNumber, ...rest } = parseCertificate(certificate);
  assert.deepEqual(rest, {
    issuer: { commonName: "ca", organizations: ["Org"] },
    subject: { commonName: "name", organizations: ["a", "b"] },
    notBefore: now,
    notAfter: new Date("2055-06-01T00:00:00Z"),
    isAuthority: false,
    keyUsages: ["digitalSignature"],
    usages: ["client"],
    dnsNames: ["x.example"],
    ipAddresses: ["10.1.2.3", "2001:db8::5"],
  });
  assert.equal(publicKey.asymmetricKeyType, "ec");
  assert.match(fingerprint, /^[0-9a-f]{64}$/);
  assert.match(serialNumber, /^[4-7][0-9a-f]{31}$/);
});

test("an authority can be stored as two strings and opened again", () => {
  const opened = openAuthority({ certificate: authority.certificate, privateKey: authority.privateKey });
  const { certificate } = opened.issue({ commonName: "leaf", usages: ["server"], ...validFor({ now, days: 1 }) });
  assert.ok(isTrusted(certificate, { authorities: [authority.certificate], now }));
  assert.ok(!isTrusted(certificate, { authorities: [authority.certificate], now: new Date("2027-01-01") }));
  const other = createAuthority({ commonName: "ca", organizations: ["Org"], now, days: 1 });
  assert.ok(!isTrusted(certificate, { authorities: [other.certificate], now }));
  const mixed = { certificate: authority.certificate, privateKey: other.privateKey };
  assert.throws(() => openAuthority(mixed), hasCode("KeyMismatch"));
});

test("a request is signed with its own names and key", () => {
  const privateKey = createPrivateKeyPem();
  const request = createRequest({ commonName: "jane", organizations: ["devs"], dnsNames: ["jane.local"], privateKey });
  const signed = parseCertificate(authority.sign(request, { usages: ["client"], ...validFor({ now, days: 1 }) }));
  assert.deepEqual(signed.subject, { commonName: "jane", organizations: ["devs"] });
  assert.deepEqual(signed.dnsNames, ["jane.local"]);
  assert.equal(signed.publicKey.export({ type: "spki", format: "pem" }), publicKeyPem(privateKey));
});

test("a modified request is rejected", () => {
  const request = createRequest({ commonName: "jane", privateKey: createPrivateKeyPem() });
  const body = request.replaceAll(/-----.*-----|\n/g, "");
  const forged = Buffer.from(Buffer.from(body, "base64").toString("latin1").replace("jane", "root"), "latin1");
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${forged.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
  assert.throws(() => parseRequest(pem), hasCode("BadSignature"));
  assert.throws(() => parseRequest("nothing"), hasCode("MalformedPem"));
});

test("every truncated certificate is rejected with an error of this package", () => {
  const bytes = Buffer.from(authority.certificate.replaceAll(/-----.*-----|\n/g, ""), "base64");
  for (let size = 0; size < bytes.length; size += 7) {
    const cut = `-----BEGIN CERTIFICATE-----\n${bytes.subarray(0, size).toString("base64")}\n-----END CERTIFICATE-----`;
    assert.throws(() => parseCertificate(cut), hasCode("MalformedDer"), `cut to ${size} bytes`);
  }
});

test("names that are invalid in a certificate are rejected", () => {
  const period = validFor({ now, days: 1 });
  const issue = (names: object) => () => authority.issue({ commonName: "x", usages: [], ...names, ...period });
  assert.throws(issue({ dnsNames: ["ü.example"] }), hasCode("InvalidName"));
  assert.throws(issue({ ipAddresses: ["10.0.0"] }), hasCode("InvalidName"));
});

test("randomness can be replaced: the same source gives the same serial number", () => {
  const privateKey = systemEntropy.privateKey("ec-p256");
  const entropy = { bytes: (count: number) => new Uint8Array(count), privateKey: () => privateKey };
  const make = () => parseCertificate(createAuthority({ commonName: "ca", now, days: 1, entropy }).certificate);
  assert.equal(make().serialNumber, make().serialNumber);
});

test("a bundle contains each certificate once", () => {
  const other = createAuthority({ commonName: "other", now, days: 1 });
  const bundle = bundleCertificates(authority.certificate, other.certificate, authority.certificate);
  assert.deepEqual(splitBundle(bundle), [authority.certificate, other.certificate]);
});

for (const keyKind of ["ec-p256", "rsa-2048"] as const) {
  test(`a token signed with an ${keyKind} key is verified; changed or expired ones fail`, () => {
    const privateKey = createPrivateKeyPem(keyKind);
    const keys = [toJwtKey(publicKeyPem(privateKey))];
    const seconds = now.getTime() / 1000;
    const token = signJwt({ sub: "system:serviceaccount:a:b", nbf: seconds, exp: seconds + 10 }, privateKey);
    assert.equal(verifyJwt(token, { keys, now })["sub"], "system:serviceaccount:a:b");
    const [header, , signature] = token.split(".");
    const forged = `${header}.${Buffer.from('{"sub":"root"}').toString("base64url")}.${signature}`;
    assert.throws(() => verifyJwt(forged, { keys, now }), hasCode("BadSignature"));
    assert.throws(() => verifyJwt(token, { keys, now: new Date(now.getTime() + 10_000) }), hasCode("TokenExpired"));
    assert.throws(() => verifyJwt(token, { keys, now: new Date(now.getTime() - 1) }), hasCode("TokenNotYetValid"));
    assert.throws(() => verifyJwt(token, { keys: [toJwtKey(createPrivateKeyPem())], now }), hasCode("UnknownKey"));
    assert.throws(() => verifyJwt("a.b", { keys, now }), hasCode("MalformedToken"));
    assert.equal(toJsonWebKey(keys[0] ?? toJwtKey(privateKey)).alg, keyKind === "ec-p256" ? "ES256" : "RS256");
  });
}
