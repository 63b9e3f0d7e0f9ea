/** Token reviews: valid formats, audiences, and tokens after their bound object is deleted. */
import { defineTopic, del, post, type Step } from "../../case.ts";
import type { Part } from "../explored/widget.ts";

const quiet = { quiet: true };
const space = "/api/v1/namespaces/{ns}";
const account = post(`${space}/serviceaccounts`, { metadata: { name: "a" } }, quiet);
const here = "https://kubernetes.default.svc.cluster.local";

/** Requests a token and keeps it under a name. */
function issue(as: string, spec: Part = {}): Step {
  return post(`${space}/serviceaccounts/a/token`, { spec }, { ...quiet, keep: { [as]: "status.token" } });
}

function review(token: string, audiences?: readonly string[]): Step {
  const spec = audiences === undefined ? { token } : { token, audiences };
  return post("/apis/authentication.k8s.io/v1/tokenreviews", { spec }, { only: ["kind", "status", "message"] });
}

const bound = (kind: string, name: string): Part => ({ boundObjectRef: { kind, apiVersion: "v1", name } });
const secret = post(`${space}/secrets`, { metadata: { name: "s" } }, quiet);
const pod = (nodeName: string): Step =>
  post(
    `${space}/pods`,
    { metadata: { name: "p" }, spec: { serviceAccountName: "a", nodeName, containers: [{ name: "a", image: "a" }] } },
    quiet,
  );
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const forged = (header: object, claims: object): string => `${part(header)}.${part(claims)}.AAAA`;

export const tokens = defineTopic("token-reviews", {
  "what is around a token": [
    account,
    issue("t"),
    ...["{t}", " {t}", "{t} ", "\t{t}", "{t} z", "x y", " x", "  ", "", "x", "a.b", "a.b.c"].map((text) =>
      review(text),
    ),
    review(" x", ["q"]),
  ],
  "whom a token is for": [
    account,
    issue("t"),
    issue("x", { audiences: ["x", "y"] }),
    review("{t}", ["x"]),
    review("{t}", ["x", here]),
    review("{x}"),
    review("{x}", ["y", "z", "x"]),
    review("{x}", ["z"]),
  ],
  "tokens that others signed": [
    review(forged({ alg: "RS256" }, { iss: here })),
    review(forged({ alg: "RS256", kid: "x" }, { iss: here })),
    review(forged({ alg: "RS256" }, { iss: "kubernetes/serviceaccount" })),
    review(forged({ alg: "RS256" }, { iss: "https://elsewhere" })),
    review(`x.${part({ iss: here })}.AAAA`),
  ],
  "a secret that is gone": [
    account,
    secret,
    issue("t", bound("Secret", "s")),
    issue("u", bound("Secret", "s")),
    review("{t}"),
    del(`${space}/secrets/s`, undefined, quiet),
    review("{u}"),
    review("{u}", ["x"]),
  ],
  "a pod that is gone": [
    account,
    pod("nowhere"),
    issue("t", bound("Pod", "p")),
    issue("u", bound("Pod", "p")),
    review("{t}"),
    del(`${space}/pods/p?gracePeriodSeconds=0`, undefined, quiet),
    review("{u}"),
  ],
  "an account that is gone": [
    account,
    issue("t"),
    del(`${space}/serviceaccounts/a`, undefined, { ...quiet, settle: 500 }),
    review("{t}"),
  ],
});
