/** Where tokens of service accounts can be checked by others: the issuer's description and its keys. */
import { toGoJson, type Json } from "@capstan/model";
import { toJsonWebKey } from "@capstan/pki";
import type { Answer } from "../answer.ts";
import { hostOf } from "../call.ts";
import type { Exchange } from "../exchange.ts";
import type { ServerParts } from "../parts.ts";

/** Answers for the two documents; `undefined` for any other path. */
export function serveOpenId({ parts, call }: Exchange, path: string): Answer | undefined {
  if (path === "/.well-known/openid-configuration") return serveIssuer(parts, hostOf(call));
  return path === "/openid/v1/jwks" ? serveKeys(parts) : undefined;
}

function serveIssuer({ access }: ServerParts, host: string): Answer {
  const document = {
    issuer: access.tokens().issuer,
    jwks_uri: `https://${host}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [toJsonWebKey(access.key()).alg],
  };
  return published("application/json", document);
}

function serveKeys({ access }: ServerParts): Answer {
  const { use, kty, kid, alg, ...members } = toJsonWebKey(access.key());
  return published("application/jwk-set+json", { keys: [{ use, kty, kid, alg, ...members }] } as Json);
}

function published(type: string, document: Json): Answer {
  const headers = { "content-type": type, "cache-control": "public, max-age=3600" };
  return { status: 200, headers, body: toGoJson(document) };
}
