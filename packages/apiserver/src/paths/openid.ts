/** OpenID discovery: lets others verify service account tokens by the issuer's document and keys. */
import { toGoJson, type Json } from "@capstan/model";
import { toJsonWebKey } from "@capstan/pki";
import type { Answer } from "../answer.ts";
import { hostOf } from "../call.ts";
import { checkRoute } from "../encode/media.ts";
import type { Exchange } from "../exchange.ts";
import type { ServerParts } from "../parts.ts";

/** Serves the two documents. */
export function serveOpenId({ parts, call }: Exchange, path: string): Answer {
  const isKeys = path === keysPath;
  checkRoute(call, [isKeys ? keysType : "application/json"]);
  return isKeys ? serveKeys(parts) : serveIssuer(parts, hostOf(call));
}

const keysPath = "/openid/v1/jwks";
const keysType = "application/jwk-set+json";

/** Whether the path is one of the two documents. */
export function isOpenIdPath(path: string): boolean {
  return path === keysPath || path === "/.well-known/openid-configuration";
}

function serveIssuer({ access }: ServerParts, host: string): Answer {
  const document = {
    issuer: access.tokens().issuer,
    jwks_uri: `https://${host}${keysPath}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [toJsonWebKey(access.key()).alg],
  };
  return published("application/json", document);
}

function serveKeys({ access }: ServerParts): Answer {
  const { use, kty, kid, alg, ...members } = toJsonWebKey(access.key());
  return published(keysType, { keys: [{ use, kty, kid, alg, ...members }] } as Json);
}

function published(type: string, document: Json): Answer {
  const headers = { "content-type": type, "cache-control": "public, max-age=3600" };
  return { status: 200, headers, body: toGoJson(document) };
}
