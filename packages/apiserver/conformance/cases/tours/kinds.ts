/** Requests that are the same for every kind: tables, field selectors, apply, subresources, and invalid requests. */
import { defineTopic, del, get, patch, post, put, type Step, type Topic } from "../../case.ts";
import { table } from "../kinds/variants.ts";
import { altered, mine, ofEvery, samples, type Sample } from "./sample.ts";

const refusal = { only: ["kind", "status", "message", "reason", "details", "code"] };
const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";

/** Tables of an object, of a list, and of an empty list. */
const rows = defineTopic(
  "tour-rows",
  ofEvery(({ make, at, path, clean }) => [
    make,
    get(`${at}?includeObject=None`, { accept: table }),
    get(`${path}?${mine}&includeObject=None`, { accept: table, only: ["columnDefinitions", "rows"] }),
    get(`${path}?labelSelector=none%3D{ns}`, { accept: table, only: ["columnDefinitions", "rows"] }),
    get(at, { accept: partial }),
    ...clean,
  ]),
);

const fieldLabels = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "name",
  "type",
  "reason",
  "reportingComponent",
  "involvedObject.name",
  "regarding.name",
  "source",
  "status.phase",
  "status.podIP",
  "status.podIPs",
  "status.nominatedNodeName",
  "status.successful",
  "status.replicas",
  "spec.nodeName",
  "spec.host",
  "spec.driver",
  "spec.unschedulable",
  "spec.schedulerName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.hostNetwork",
  "spec.signerName",
  "spec.clusterIP",
  "spec.type",
  "spec.parentRef",
];

/** The supported field selectors. */
const fields = defineTopic(
  "tour-fields",
  ofEvery(({ path }) =>
    fieldLabels.map((label) =>
      get(`${path}?limit=1&fieldSelector=${label}%3D{ns}-nobody`, { only: ["items", "message", "reason", "code"] }),
    ),
  ),
);

const by = (manager: string, more = ""): string => `?fieldManager=${manager}${more}`;

/** Server-side apply by two managers with a conflict. */
const applied = defineTopic(
  "tour-applied",
  ofEvery(({ at, object, kind, clean }) => {
    const two = altered(object) as object;
    const labelled = (value: string): object => ({
      apiVersion: object["apiVersion"],
      kind,
      metadata: { name: object.metadata["name"], labels: { owner: value } },
    });
    return [
      patch("apply", `${at}${by("one")}`, object),
      patch("apply", `${at}${by("two")}`, two),
      patch("apply", `${at}${by("two", "&force=true&dryRun=All")}`, two),
      patch("apply", `${at}${by("two")}`, labelled("two"), { only: ["metadata"] }),
      patch("apply", `${at}${by("three")}`, labelled("three"), refusal),
      patch("apply", `${at}${by("three", "&force=true")}`, labelled("three"), { only: ["metadata"] }),
      patch("merge", `${at}${by("four")}`, { metadata: { labels: { owner: "four" } } }, { only: ["metadata"] }),
      patch("apply", `${at}${by("three")}`, labelled("five"), refusal),
      patch("apply", at, object, refusal),
      patch("apply", `${at}${by("one")}`, { ...object, nope: 1 }, refusal),
      patch("apply", `${at}${by("one")}`, { ...object, spec: { nope: 1 } }, refusal),
      patch("apply", `${at}${by("one")}`, { ...object, apiVersion: "v9" }, refusal),
      patch("apply", `${at}${by("one")}`, { ...object, kind: "Nope" }, refusal),
      patch("apply", `${at}${by("one")}`, { kind }, refusal),
      patch("apply", `${at}${by("one")}`, { ...object, metadata: { name: "other" } }, refusal),
      patch(
        "apply",
        `${at}${by("one")}`,
        { ...object, metadata: { name: object.metadata["name"], managedFields: [{}] } },
        refusal,
      ),
      patch("apply", `${at}${by("one", "&force=true")}`, {
        apiVersion: object["apiVersion"],
        kind,
        metadata: { name: object.metadata["name"] },
      }),
      ...clean,
    ];
  }),
);

/** Subresources that create a missing object, or try to: their errors are those of a creation. */
const makesMissing = new Set(["Service", "ValidatingAdmissionPolicy"]);

const doorSteps = ({ at, object, path, kind }: Sample, subresource: string): Step[] => {
  const view = `${at}/${subresource}`;
  const { name } = object.metadata;
  const body = object;
  const label = { metadata: { labels: { via: subresource } } };
  const named = { apiVersion: body["apiVersion"], kind: body["kind"], metadata: { name } };
  return [
    get(view),
    get(view, { accept: table, only: ["columnDefinitions", "rows", "message"] }),
    put(`${view}?dryRun=All`, body),
    put(view, { ...body, kind: "Nope" }, refusal),
    put(view, { ...body, apiVersion: "v9" }, refusal),
    put(view, { ...body, metadata: { name: "other" } }, refusal),
    put(view, { ...body, metadata: { ...body.metadata, resourceVersion: "1" } }, refusal),
    put(view, { ...body, metadata: { ...body.metadata, uid: "u" } }, refusal),
    put(view, "{}", refusal),
    patch("merge", view, label),
    patch("merge", view, {}),
    patch("strategic", view, { metadata: { annotations: { via: subresource } } }),
    patch("json", view, [{ op: "add", path: "/metadata/labels/more", value: "1" }]),
    patch("json", view, [{ op: "remove", path: "/status" }]),
    patch("merge", view, { status: { nope: 1 } }),
    patch("merge", `${view}?fieldValidation=Strict`, { status: { nope: 1 } }, refusal),
    patch("merge", view, { status: 5 }, refusal),

    patch("merge", view, { kind: "Nope" }, refusal),
    patch("apply", `${view}${by("applier", "&force=true")}`, {
      ...named,
      ...label,
      metadata: { name, ...label.metadata },
    }),
    patch(
      "apply",
      `${view}${by("applier", "&force=true")}`,
      { ...named, metadata: { name }, status: { nope: 1 } },
      refusal,
    ),
    ...(makesMissing.has(kind)
      ? []
      : [
          put(`${path}/nope/${subresource}`, { ...body, metadata: { name: "nope" } }, refusal),
          patch(
            "apply",
            `${path}/nope/${subresource}${by("applier")}`,
            { ...named, metadata: { name: "nope" } },
            refusal,
          ),
        ]),
    patch("merge", `${path}/nope/${subresource}`, {}, refusal),
    { method: "POST", path: view, body, ...refusal },
    { method: "DELETE", path: view, ...refusal },
    get(`${view}/more`, refusal),
    get(at),
  ];
};

/** Subresources, read and written, valid and invalid. */
const subresources = defineTopic(
  "tour-subresources",
  Object.fromEntries(
    samples.flatMap((sample) =>
      sample.subresources
        .filter((subresource) => subresource !== "scale")
        .map((subresource) => [
          `${sample.title} ${subresource}`,
          [sample.make, ...doorSteps(sample, subresource), ...sample.clean],
        ]),
    ),
  ),
);

/** Requests that every kind rejects. */
const refused = defineTopic(
  "tour-refused",
  ofEvery(({ make, at, path, object, name, isNamespaced, clean }) => {
    const named = (metadata: object): object => ({ ...object, metadata: { ...object.metadata, ...metadata } });
    const text = JSON.stringify(named({ name: "strict" }));
    return [
      make,
      post(path, object, refusal),
      ...(isNamespaced
        ? [post(path, named({ name: "n", namespace: "other" }), refusal)]
        : [post(`${path}?dryRun=All`, named({ name: "n-{ns}", namespace: "other" }), refusal)]),
      post(`${path}?dryRun=All&fieldValidation=Strict`, `${text.slice(0, -1)},"nope":1,"kind":"Again"}`, refusal),
      post(`${path}?dryRun=All`, `${text.slice(0, -1)},"nope":1}`),
      post(`${path}?dryRun=All&fieldValidation=Nope`, object, refusal),
      put(at, named({ name: "other" }), refusal),
      put(at, named({ name: undefined }), refusal),
      put(at, named({ resourceVersion: "1" }), refusal),
      put(at, named({ resourceVersion: "x" }), refusal),
      put(at, named({ uid: "u" }), refusal),
      put(`${path}/nope?dryRun=All`, named({ name: "nope" })),
      put(`${path}/nope?dryRun=All`, named({ name: "nope", resourceVersion: "5" }), refusal),
      put(`${at}?dryRun=All`, object),
      put(`${at}?dryRun=All`, altered(object)),
      patch("merge", `${path}/nope`, {}, refusal),
      patch("json", at, [{ op: "test", path: "/kind", value: "Nope" }], refusal),
      patch("json", at, [{ op: "replace", path: "/metadata/name", value: "other" }], refusal),
      patch("merge", at, { metadata: { namespace: "other" } }, refusal),
      patch("strategic", at, { metadata: { labels: { $patch: "replace", only: "this" } } }, { only: ["metadata"] }),
      patch("strategic", at, { metadata: { $patch: "delete" } }, refusal),
      patch("merge", at, { metadata: { ownerReferences: [{ kind: "K", name: "n" }] } }, refusal),
      patch("merge", at, { metadata: { annotations: { "a b": "c" }, labels: { l: "y z" } } }, refusal),
      del(at, { preconditions: { resourceVersion: "1" } }, refusal),
      del(at, { gracePeriodSeconds: -1, dryRun: ["All"] }),
      del(`${path}/nope`, undefined, refusal),
      get(`${path}/nope`, refusal),
      get(`${path}/${name}x/status`, refusal),
      ...clean,
    ];
  }),
);

export const kindTours: readonly Topic[] = [rows, fields, applied, subresources, refused];
