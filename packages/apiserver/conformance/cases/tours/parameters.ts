/** Every combination of list and watch parameters. */
import { defineTopic, get, post, type Step } from "../../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const map = (name: string): Step => post(maps, { metadata: { name, labels: { own: "1" } } }, { quiet: true });
const own = "labelSelector=own";
/** Two objects before a resource version, and one after it. */
const scene = [
  map("a"),
  map("b"),
  get(`${maps}?${own}`, { quiet: true, keep: { then: "metadata.resourceVersion" } }),
  map("c"),
];
const first = get(`${maps}?${own}&limit=1`, { quiet: true, keep: { next: "metadata.continue" } });

type Values = { readonly [name: string]: readonly (string | undefined)[] };

/** All queries that the values can form. */
function queries(values: Values): string[] {
  return Object.entries(values).reduce<string[]>(
    (made, [name, choices]) =>
      made.flatMap((query) => choices.map((choice) => (choice === undefined ? query : `${query}&${name}=${choice}`))),
    [own],
  );
}

const matches = [undefined, "", "NotOlderThan", "Exact", "Nope"];
const versions = [undefined, "0", "{then}"];
const initial = [undefined, "true", "false"];
const cases: { [name: string]: Step[] } = {};

for (const resourceVersion of versions) {
  for (const [title, limit, token] of [
    ["whole", undefined, undefined],
    ["first page", "1", undefined],
    ["next page", "1", "{next}"],
    ["rest", undefined, "{next}"],
  ] as const) {
    const values = {
      resourceVersion: [resourceVersion],
      resourceVersionMatch: matches,
      limit: [limit],
      continue: [token],
    };
    cases[`list: ${title}, version ${resourceVersion ?? "not given"}`] = [
      ...scene,
      first,
      ...queries({ ...values, sendInitialEvents: initial }).map((query) => get(`${maps}?${query}`)),
    ];
  }
}

/** The number of expected events, so that the test does not wait for more. */
function eventsOf(query: string): number {
  const isFromState = !query.includes("resourceVersion={then}");
  const isInitial =
    query.includes("sendInitialEvents=true") || (isFromState && !query.includes("sendInitialEvents=false"));
  return isInitial ? 3 : 1;
}

for (const resourceVersion of versions) {
  const values = {
    resourceVersion: [resourceVersion],
    resourceVersionMatch: matches,
    sendInitialEvents: initial,
    allowWatchBookmarks: [undefined, "true"],
  };
  const isAnswered = (query: string): boolean =>
    !(query.includes("sendInitialEvents=false") && !query.includes("resourceVersion={then}"));
  cases[`watch: version ${resourceVersion ?? "not given"}`] = [
    ...scene,
    ...queries(values)
      .filter(isAnswered)
      .map((query) => get(`${maps}?watch=1&timeoutSeconds=2&${query}`, { events: eventsOf(query) })),
  ];
}

cases["read: versions"] = [
  ...scene,
  ...["", "0", "{then}", "x", "-1", "1.5", "00001"].map((version) => get(`${maps}/a?resourceVersion=${version}`)),
  get(`${maps}/c?resourceVersion={then}`),
  get(`${maps}/a?resourceVersion={then}&resourceVersionMatch=Exact`),
  get(`${maps}/nope?resourceVersion=0`),
];

const odd = [
  "limit=0",
  "limit=-1",
  "limit=x",
  "timeoutSeconds=x",
  "watch=x",
  "allowWatchBookmarks=x",
  "sendInitialEvents=x",
];
cases["values that are none"] = [
  map("a"),
  ...odd.map((query) => get(`${maps}?${own}&${query}&timeoutSeconds=1`)),
  ...["watch=", "watch=no", "watch=False"].map((query) =>
    get(`${maps}?${own}&${query}&timeoutSeconds=1`, { events: 1 }),
  ),
  ...["watch=0", "watch=false"].map((query) => get(`${maps}?${own}&${query}`, { only: ["kind", "items"] })),
  get(`${maps}?${own}&resourceVersion=&resourceVersionMatch=&continue=&limit=&fieldSelector=`),
  get(`${maps}?${own}&unknown=1&limit=1`, { only: ["items"] }),
  get(`${maps}?labelSelector=own%3D1%2Cown%20in%20(1%2C2)%2C!no&limit=5`, { only: ["items"] }),
];

const token = (start: string): string =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: -1, start })).toString("base64url");
cases["tokens"] = [
  ...scene,
  get(`${maps}?${own}&limit=1&continue=${token("a")}`, { only: ["items"] }),
  get(`${maps}?${own}&limit=1&continue=${token("a\u0000")}`, { only: ["items"] }),
  get(`${maps}?${own}&limit=1&continue=${token("")}`),
  get(`${maps}?${own}&limit=1&continue=${token("../")}`),
  get(`${maps}?${own}&limit=1&continue=${token("/a")}`, { only: ["items", "message"] }),
  get(`${maps}?${own}&limit=1&continue={next}x`),
  get(`${maps}?${own}&watch=true&continue=${token("a")}`),
];

/** Cluster-scoped kinds follow the same rules. */
cases["over all namespaces"] = [
  ...scene,
  get(`/api/v1/configmaps?${own}&fieldSelector=metadata.namespace%3D{ns}&limit=2`, {
    only: ["items"],
    keep: { next: "metadata.continue" },
  }),
  get(`/api/v1/configmaps?fieldSelector=metadata.namespace%3D{ns},metadata.name%3Da`, { only: ["items"] }),
  get(`/api/v1/configmaps?fieldSelector=metadata.name%3Da,metadata.namespace!%3D{ns}&labelSelector=own%3D{ns}`, {
    only: ["items"],
  }),
  get(`/api/v1/watch/configmaps?fieldSelector=metadata.namespace%3D{ns}&timeoutSeconds=2`, { events: 3 }),
  get(`/api/v1/watch/namespaces/{ns}/configmaps?${own}&timeoutSeconds=2`, { events: 3 }),
  get(`/api/v1/watch/namespaces/{ns}/configmaps/b?timeoutSeconds=2`, { events: 1 }),
];

cases["watch: forms"] = [
  ...scene,
  ...["PartialObjectMetadata", "Table", "Nope"].map((kind) =>
    get(`${maps}?watch=1&${own}&resourceVersion=0&timeoutSeconds=3`, {
      accept: `application/json;as=${kind};v=v1;g=meta.k8s.io`,
      events: 3,
    }),
  ),
  get(`${maps}?watch=1&${own}&resourceVersion=0&timeoutSeconds=3&includeObject=Metadata`, {
    accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    events: 3,
  }),
];

export const parameters = defineTopic("tour-parameters", cases);
