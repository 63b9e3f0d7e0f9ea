/** Certificates provided by the user: checked and used as they are. */
import { parseCertificate } from "capstan/pki";
import { judgeGiven, readLeaf } from "capstan/stateful/parts";
import type { TlsState } from "capstan/stateful/parts";
import type { TlsInput, TlsPlan } from "./plan.ts";
import { printOf } from "./print.ts";
import { readSecret } from "./secret.ts";
import { exampleMember } from "./wishes.ts";

const DAY = 86_400_000;

/** Errors are reported in the state. Running members are left alone. */
export function planProvided(input: TlsInput): TlsPlan {
  const { spec, secrets } = input;
  const names = spec.secrets ?? { server: "", peer: "", client: "" };
  const client = readSecret(secrets, names.client);
  const server = readSecret(secrets, names.server);
  const peer = readSecret(secrets, names.peer);
  const leaf = readLeaf(client);
  return {
    apply: [],
    state: judgeAll(input, names),
    mounts: { server: names.server, peer: names.peer },
    clientSecret: names.client,
    ...(leaf ? { operator: { ca: client["ca.crt"] ?? "", ...leaf } } : {}),
    restart: printOf(server["ca.crt"] ?? "", peer["ca.crt"] ?? ""),
    lookAgain: input.now + DAY,
  };
}

type Names = { readonly [P in "server" | "peer" | "client"]: string };

/** Clients are verified by the authorities of the server, and the other way round. */
const VERIFIERS = { server: "client", peer: "peer", client: "server" } as const;

function judgeAll(input: TlsInput, names: Names): TlsPlan["state"] {
  const missing = Object.values(names).filter((name) => !input.secrets.some(({ metadata }) => metadata.name === name));
  if (missing.length > 0) {
    return { ready: false, reason: "SecretMissing", message: `there is no Secret ${missing.join(", no Secret ")}` };
  }
  const problems = (["server", "peer", "client"] as const).flatMap((purpose) => judge(input, names, purpose) ?? []);
  const [first] = problems;
  if (first === undefined) return { ready: true, reason: "Valid", message: "The given certificates are good" };
  return { ready: false, reason: first.reason, message: problems.map(({ message }) => message).join("; ") };
}

function judge(
  { secrets, now, cluster, superusers }: TlsInput,
  names: Names,
  purpose: keyof Names,
): TlsState | undefined {
  const name = names[purpose];
  const verifier = names[VERIFIERS[purpose]];
  const texts = readSecret(secrets, name);
  const { "ca.crt": trust } = readSecret(secrets, verifier);
  const member = purpose === "client" ? undefined : exampleMember(cluster);
  const problem = judgeGiven({
    name,
    texts,
    now,
    member,
    verifier: { trust, name: `the ca.crt of Secret ${verifier}` },
  });
  if (problem !== undefined || purpose !== "client" || superusers === undefined) return problem;
  const user = parseCertificate(texts["tls.crt"] ?? "").subject.commonName;
  if (superusers.includes(user)) return undefined;
  const message = `the certificate of Secret ${name} is that of ${JSON.stringify(user)}: with spec.auth its common name must be root, or etcd refuses the operator`;
  return { isReady: false, reason: "WrongUser", message };
}
