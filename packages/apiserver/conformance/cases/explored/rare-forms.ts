/** Rare media types, and subresources that need other permissions than their HTTP method suggests. */
import { defineTopic, get, post, type Step } from "../../case.ts";

const core = "/api/v1/namespaces/{ns}";
const maps = `${core}/configmaps`;
const rights = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}";
const quiet = { quiet: true };
const protobufTable = "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io";

const inForm = (accept: string): Step[] => [
  get(`${maps}/a`, { accept }),
  get(`${maps}/none`, { accept }),
  get(`${maps}?watch=true&timeoutSeconds=1&resourceVersion=0`, { accept, events: 1 }),
];

const allow = (verb: string): Step[] => [
  post(
    `${rights}/roles`,
    {
      metadata: { name: verb },
      rules: [{ apiGroups: [""], resources: ["pods/exec", "pods/attach", "pods/portforward"], verbs: [verb] }],
    },
    quiet,
  ),
  post(
    `${rights}/rolebindings`,
    {
      metadata: { name: verb },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: verb },
      subjects: [{ kind: "User", name: "alice" }],
    },
    { ...quiet, settle: 1000 },
  ),
];

const doors = ["exec?command=ls&stdout=true", "attach", "portforward"].map((door): Step =>
  get(`${core}/pods/none/${door}`, { as: "alice" }),
);

export const rareForms = defineTopic("rare-forms", {
  "tables are no protocol buffers": [
    post(maps, { metadata: { name: "a" } }, quiet),
    ...inForm(protobufTable),
    get(`${maps}/a?includeObject=None`, {
      accept: `${protobufTable},application/json;as=Table;v=v1;g=meta.k8s.io`,
    }),
  ],
  "a form that says nothing is none": [
    post(maps, { metadata: { name: "a" } }, quiet),
    ...inForm("application/json;as=;v=;g="),
    ...inForm("application/json;as=Table;v=;g="),
    get(`${maps}/a`, { accept: "application/yaml;g=" }),
  ],
  "whoever may only read a door cannot go through it": [...allow("get"), ...doors, ...allow("create"), ...doors],
});
