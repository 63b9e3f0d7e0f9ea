/** Requests of every type for which audit events are compared: user, outcome, and annotations of webhooks and policies. */

/** One request. */
export interface Step {
  readonly method: string;
  readonly path: string;
  /** The bearer token; none if empty. Default: the administrator's. */
  readonly token?: string | undefined;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
  readonly type?: string;
  /** A text in the response once a policy or webhook is active. kube-apiserver needs a moment, so the request is repeated until then. */
  readonly shows?: string;
}

/** The address of the webhooks. */
export interface Hooks {
  readonly url: string;
  readonly caBundle: string;
}

const core = "/api/v1";
const here = `${core}/namespaces/audit`;
const maps = `${here}/configmaps`;
const registration = "/apis/admissionregistration.k8s.io/v1";
const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/audit";
const patching = { method: "PATCH", type: "application/merge-patch+json" } as const;

/** The token of the administrator, and of a user with read access to ConfigMaps. */
export const tokens = { admin: "tok", bob: "bob" } as const;

export function stepsOf(hooks: Hooks): Step[] {
  return [...grants, ...lives, ...refusals, ...disguises, ...paths, ...security, ...policies, ...webhooksOf(hooks)];
}

/** Prerequisites of the other steps; they are audited too. */
const grants: readonly Step[] = [
  post(`${core}/namespaces`, { metadata: { name: "audit" } }),
  post(`${here}/serviceaccounts`, { metadata: { name: "default" } }),
  post(`${rbac}/roles`, {
    metadata: { name: "reader" },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }],
  }),
  post(`${rbac}/rolebindings`, {
    metadata: { name: "readers" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "bob" }],
  }),
];

const lives: readonly Step[] = [
  post(maps, { metadata: { name: "a", labels: { kept: "yes" } }, data: { a: "1" } }),
  post(maps, { metadata: { generateName: "drawn-" } }),
  get(`${maps}/a`),
  get(`${maps}?fieldSelector=metadata.name%3Da&limit=5`),
  get(`${maps}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone`),
  { method: "PUT", path: `${maps}/a`, body: { metadata: { name: "a", uid: "" }, data: { a: "2" } } },
  { ...patching, path: `${maps}/a?dryRun=All`, body: { data: { b: "3" } } },
  post(`${here}/serviceaccounts/default/token`, { spec: {} }),
  post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec: { nonResourceAttributes: { path: "/" } } }),
  get(`${here}/endpoints`),
  { method: "DELETE", path: `${maps}?labelSelector=none` },
  { method: "DELETE", path: `${maps}/a`, body: { propagationPolicy: "Background" } },
];

const refusals: readonly Step[] = [
  get(`${maps}/none`),
  post(maps, { metadata: { name: "A b" } }),
  post(maps, { metadata: { name: "elsewhere", namespace: "other" } }),
  post(maps, "no object"),
  { method: "PUT", path: `${maps}/none`, body: { metadata: { name: "none", uid: "u", resourceVersion: "5" } } },
  { method: "PUT", path: `${maps}/none`, body: { metadata: { name: "other" } } },
  { ...post(maps, { metadata: { name: "b" } }), token: tokens.bob },
  { ...get(maps), token: tokens.bob },
  { ...get(maps), token: undefined },
  { ...get(maps), token: "wrong" },
  get(`${here}/pods/none/log`),
  get("/apis/none.example.com/v1/things/a"),
];

const disguises: readonly Step[] = [
  { ...get(maps), headers: { "impersonate-user": "bob" } },
  { ...get(maps), headers: { "impersonate-user": "system:serviceaccount:audit:default" } },
  { ...get(maps), headers: { "impersonate-user": "carl", "impersonate-extra-example.com%2fwhy": "x" } },
  // kube-apiserver first tries the impersonation mode that it allowed last, so the legacy mode comes last.
  { ...get(maps), headers: { "impersonate-user": "carl", "impersonate-group": "devs", "impersonate-extra-why": "x" } },
  { ...get(maps), token: tokens.bob, headers: { "impersonate-user": "carl" } },
  { ...get(`${maps}/none`), headers: { "x-forwarded-for": "10.0.0.1, nobody, 10.0.0.2", "x-real-ip": "10.0.0.3" } },
  { ...get(`${maps}/none`), headers: { "user-agent": "u".repeat(1100), "audit-id": "mine" } },
];

const paths: readonly Step[] = [
  get("/healthz"),
  get("/version?a=b"),
  get("/none"),
  get("/apis"),
  { method: "HEAD", path: "/healthz" },
  { method: "POST", path: "/version", body: {} },
];

const pod = { containers: [{ name: "c", image: "i" }] };

const security: readonly Step[] = [
  { ...patching, path: here, body: { metadata: { labels: level("audit") } } },
  post(`${here}/pods?dryRun=All`, { metadata: { name: "p" }, spec: pod }),
  { ...patching, path: here, body: { metadata: { labels: level("enforce") } } },
  post(`${here}/pods?dryRun=All`, { metadata: { name: "p" }, spec: pod }),
  post(`${here}/pods`, "no pod"),
];

function level(mode: string): { [label: string]: string } {
  return { [`pod-security.kubernetes.io/${mode}`]: "restricted" };
}

const rule = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] };
const onlyHere = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "audit" } } };

const policies: readonly Step[] = [
  post(`${registration}/validatingadmissionpolicies`, {
    metadata: { name: "audit.example.com" },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "object.metadata.name != 'bad'", message: "no <bad> ones" }],
      auditAnnotations: [
        { key: "name", valueExpression: "'it is ' + object.metadata.name" },
        { key: "none", valueExpression: "null" },
      ],
    },
  }),
  post(`${registration}/validatingadmissionpolicybindings`, {
    metadata: { name: "audit-only" },
    spec: { policyName: "audit.example.com", validationActions: ["Warn", "Audit"], matchResources: onlyHere },
  }),
  { ...post(`${maps}?dryRun=All`, { metadata: { name: "bad" } }), shows: "no <bad> ones" },
  post(`${maps}?dryRun=All`, { metadata: { name: "good" } }),
];

/** A webhook that changes the object, one that does not, one that is unreachable, and two validating ones. */
function webhooksOf({ url, caBundle }: Hooks): Step[] {
  const hook = (name: string, path: string, more: object = {}): object => ({
    name: `${name}.example.com`,
    clientConfig: path.startsWith("https:") ? { url: path } : { url: `${url}/${path}`, caBundle },
    rules: [rule],
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    ...onlyHere,
    ...more,
  });
  const nobody = "https://127.0.0.1:9/";
  const ignoring = { failurePolicy: "Ignore" };
  return [
    post(`${registration}/validatingwebhookconfigurations`, {
      metadata: { name: "lookers" },
      webhooks: [hook("noting", "warn-null"), hook("away", nobody, ignoring)],
    }),
    post(`${registration}/mutatingwebhookconfigurations`, {
      metadata: { name: "changers" },
      webhooks: [
        hook("same", "patch-nothing", { reinvocationPolicy: "IfNeeded" }),
        hook("adding", "patch-add"),
        hook("away", nobody, ignoring),
      ],
    }),
    { ...post(`${maps}?dryRun=All`, { metadata: { name: "changed" }, data: { a: "1" } }), shows: '"x":"y"' },
    post(`${registration}/mutatingwebhookconfigurations`, {
      metadata: { name: "refusers" },
      webhooks: [hook("refusing", "refuse-message")],
    }),
    { ...post(`${maps}?dryRun=All`, { metadata: { name: "refused" }, data: { a: "1" } }), shows: "not today" },
  ];
}

/** Removes everything that would disturb another run. */
export const traces: readonly Step[] = [
  ...["changers", "refusers"].map((name) => gone(`${registration}/mutatingwebhookconfigurations/${name}`)),
  gone(`${registration}/validatingwebhookconfigurations/lookers`),
  gone(`${registration}/validatingadmissionpolicybindings/audit-only`),
  gone(`${registration}/validatingadmissionpolicies/audit.example.com`),
];

function get(path: string): Step {
  return { method: "GET", path };
}

function post(path: string, body: unknown): Step {
  return { method: "POST", path, body };
}

function gone(path: string): Step {
  return { method: "DELETE", path };
}
