/** CertificateSigningRequests, flow control and APIServices. */
import { defineTopic, get, patch, post } from "../../case.ts";
import { creates, life, table, updates } from "./variants.ts";

const request =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVE1Ib0NBUUF3R0RFS01BZ0dBMVVFQXd3QmVERUtNQWdHQTFVRUNnd0JlVEJaTUJNR0J5cUdTTTQ5QWdFRwpDQ3FHU000OUF3RUhBMElBQkE2cFNjQlJsTTZtaGV6MlRwaEFRWHJWdFBwK2NFVklMemQ2YWI5Z0VJcVJ3NHhlCkt1VFIxbzZsZUNvcDlCWVVkY0g1eVYzdWdRYUJXVkRoTndDclFQdWdBREFLQmdncWhrak9QUVFEQWdOSkFEQkcKQWlFQTFyajM0dFFiczRZNDdxZHFUTVlsZXo5azNGa1R1UlpDYnplUDBEVUdtVzhDSVFDR2FIbjExMUp3KzBUbQphR2F2QXlPQkppUlovMHY4ckJBVXFaekJ1VmZXeGc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";
const certificate =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJjRENDQVJXZ0F3SUJBZ0lVUkhmOGV3UjU2Y21ETHcvR0pRdXdmWkRWazhFd0NnWUlLb1pJemowRUF3SXcKRERFS01BZ0dBMVVFQXd3QmVEQWdGdzB5TmpFeE1UVXhNekF5TlRaYUdBOHlNVEkyTVRBeU1qRXpNREkxTmxvdwpEREVLTUFnR0ExVUVBd3dCZURCWk1CTUdCeXFHU000OUFnRUdDQ3FHU000OUF3RUhBMElBQkE2cFNjQlJsTTZtCmhlejJUcGhBUVhyVnRQcCtjRVZJTHpkNmFiOWdFSXFSdzR4ZUt1VFIxbzZsZUNvcDlCWVVkY0g1eVYzdWdRYUIKV1ZEaE53Q3JRUHVqVXpCUk1CMEdBMVVkRGdRV0JCUTRFWVpXV1V0T2hQSFAwZWlYczdxTE1LcEJFVEFmQmdOVgpIU01FR0RBV2dCUTRFWVpXV1V0T2hQSFAwZWlYczdxTE1LcEJFVEFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQW9HCkNDcUdTTTQ5QkFNQ0Ewa0FNRVlDSVFEaFh0cUVsTm9PQmtWdzRPdUo0ajBFSk5UWEdsQWdvQWJHL0hoRGI3SjkKSHdJaEFQc2xpVDlLZmh5NHJkalM2YmtWaGpVZU5ibTVuVVZVcTJNbmFXb240b253Ci0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K";
const headers = { "impersonate-user": "jane", "impersonate-group": "system:masters", "impersonate-extra-a": "b" };
const signing = {
  headers,
  path: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
  base: {
    metadata: { name: "{ns}-a" },
    spec: { request, signerName: "example.com/signer", usages: ["client auth"] },
  },
};
const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
const schema = {
  path: `${flow}/flowschemas`,
  base: {
    metadata: { name: "{ns}-a" },
    spec: {
      priorityLevelConfiguration: { name: "global-default" },
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "{ns}-nobody" } }],
          nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x/*"] }],
        },
      ],
    },
  },
};
const level = {
  path: `${flow}/prioritylevelconfigurations`,
  base: {
    metadata: { name: "{ns}-a" },
    spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } },
  },
};
const service = {
  path: "/apis/apiregistration.k8s.io/v1/apiservices",
  base: {
    metadata: { name: "v1.{ns}.example.com" },
    spec: { group: "{ns}.example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 100 },
  },
};
const rule = (value: object): { [path: string]: unknown } => ({ "spec/rules/0": value });
const limited = (value: object): { [path: string]: unknown } => ({ "spec/limited": value });
const approved = { type: "Approved", status: "True", reason: "R", message: "m" };
const at = `${signing.path}/{ns}-a`;
const remove = { method: "DELETE", path: at, quiet: true };

export const control = defineTopic("kinds-control", {
  ...life("CertificateSigningRequest", signing),
  ...creates("CertificateSigningRequest", signing, {
    "is of whoever asks": {
      "spec/username": "other",
      "spec/groups": ["g"],
      "spec/uid": "u",
      "spec/extra": { a: ["b"] },
    },
    "refuses no request": { "spec/request": undefined },
    "refuses a request": { "spec/request": "eA==" },
    "refuses no usages": { "spec/usages": [] },
    "refuses usages": { "spec/usages": ["foo", "client auth", "client auth"] },
    "refuses no signer": { "spec/signerName": "" },
    "refuses a signer": { "spec/signerName": "x" },
    "refuses signers": { "spec/signerName": "A_/B_" },
    "refuses the old signer": { "spec/signerName": "kubernetes.io/legacy-unknown" },
    "refuses a short time": { "spec/expirationSeconds": 5 },
    "takes a time": { "spec/expirationSeconds": 3600 },
    "takes any name": { "metadata/name": "A_b {ns}" },
    "drops a status": { status: { conditions: [approved] } },
  }),
  ...updates("CertificateSigningRequest", signing, {
    "keeps its spec": { "spec/usages": ["server auth"], "metadata/labels": { a: "b" } },
    "refuses labels": { "metadata/labels": { "a b": "" } },
  }),
  "CertificateSigningRequest: is approved and issued": [
    post(signing.path, signing.base, { quiet: true, headers }),
    patch("merge", `${at}/status`, { status: { conditions: [approved] } }),
    patch("merge", `${at}/approval`, { status: { conditions: [approved], certificate } }),
    get(signing.path + "?fieldSelector=metadata.name%3D{ns}-a", { accept: table }),
    patch("merge", `${at}/status`, { status: { certificate: "eA==" } }),
    patch("merge", `${at}/status`, { status: { certificate } }),
    get(signing.path + "?fieldSelector=metadata.name%3D{ns}-a,spec.signerName%3Dexample.com/signer", { accept: table }),
    patch("merge", `${at}/status`, { status: { certificate: null } }),
    patch("merge", `${at}/approval`, { status: { conditions: [] } }),
    patch("merge", `${at}/approval`, {
      status: { conditions: [approved, { type: "Denied", status: "False" }, { type: "", status: "" }] },
    }),
    remove,
  ],
  "CertificateSigningRequest: knows few fields": [get(`${signing.path}?fieldSelector=spec.username%3Dx`)],
  // kube-apiserver updates its status soon after.
  "FlowSchema: is made": [
    post(schema.path, schema.base),
    { method: "DELETE", path: `${schema.path}/{ns}-a`, quiet: true },
  ],
  ...creates("FlowSchema", schema, {
    "refuses no level": { "spec/priorityLevelConfiguration": {} },
    "refuses a level": { "spec/priorityLevelConfiguration": { name: "A_" } },
    "refuses a precedence": { "spec/matchingPrecedence": -1 },
    "refuses a great precedence": { "spec/matchingPrecedence": 10001 },
    "refuses the first place": { "spec/matchingPrecedence": 1 },
    "takes a method": { "spec/distinguisherMethod": { type: "ByUser" } },
    "refuses a method": { "spec/distinguisherMethod": { type: "Foo" } },
    "needs no rules": { "spec/rules": undefined },
    "refuses an empty rule": rule({}),
    "refuses subjects": rule({
      subjects: [
        { kind: "Foo" },
        { kind: "User" },
        { kind: "Group", group: {}, user: { name: "x" } },
        { kind: "ServiceAccount", serviceAccount: { name: "A_", namespace: "" }, group: { name: "x" } },
      ],
      nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    }),
    "refuses paths": rule({
      subjects: [{ kind: "Group", group: { name: "g" } }],
      nonResourceRules: [
        { verbs: [], nonResourceURLs: [] },
        { verbs: ["foo"], nonResourceURLs: ["x", "", "/a b", "/a//b", "/a*", "/"] },
        { verbs: ["*", "get"], nonResourceURLs: ["*", "/"] },
      ],
    }),
    "refuses resources": rule({
      subjects: [{ kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "n" } }],
      resourceRules: [
        {},
        { verbs: ["get"], apiGroups: ["*", "a"], resources: ["*", "a"], namespaces: ["*", "a"] },
        { verbs: ["get"], apiGroups: [""], resources: ["a"], namespaces: ["A_"], clusterScope: true },
      ],
    }),
    "refuses nothing": { spec: undefined },
  }),
  ...life("PriorityLevelConfiguration", level),
  ...creates("PriorityLevelConfiguration", level, {
    "refuses nothing": { spec: undefined },
    "refuses a type": { "spec/type": "Foo" },
    "refuses to be exempt": { "spec/type": "Exempt" },
    "refuses no limit": limited({}),
    "refuses both": { "spec/exempt": {} },
    rejects: limited({ limitResponse: { type: "Reject" }, nominalConcurrencyShares: 0, borrowingLimitPercent: 5 }),
    "refuses to reject into queues": limited({ limitResponse: { type: "Reject", queuing: {} } }),
    "refuses no queues": limited({ limitResponse: { type: "Queue" } }),
    "refuses numbers": limited({
      limitResponse: { type: "Queue", queuing: { queues: -1, handSize: -1, queueLengthLimit: -1 } },
      nominalConcurrencyShares: -1,
      lendablePercent: 101,
      borrowingLimitPercent: -1,
    }),
    "refuses a big hand": limited({ limitResponse: { type: "Queue", queuing: { queues: 5, handSize: 6 } } }),
    "refuses a rich hand": limited({ limitResponse: { type: "Queue", queuing: { queues: 512, handSize: 8 } } }),
    "refuses too many queues": limited({
      limitResponse: { type: "Queue", queuing: { queues: 10000001, handSize: 1 } },
    }),
  }),
  ...updates("PriorityLevelConfiguration", level, { "counts a generation": { "spec/limited/lendablePercent": 5 } }),
  ...creates("APIService", service, {
    "is local": {},
    "refuses nothing": { spec: undefined },
    "refuses another name": { "metadata/name": "x" },
    "refuses a bad name": { "metadata/name": "a/b" },
    "refuses a group": { "spec/group": "A_" },
    "refuses a version": { "spec/version": "1" },
    "refuses priorities": { "spec/groupPriorityMinimum": 20001, "spec/versionPriority": 1001 },
    "refuses local certificates": { "spec/caBundle": "eA==", "spec/insecureSkipTLSVerify": true },
    "is elsewhere": { "spec/service": { name: "s", namespace: "n" } },
    "refuses a service": {
      "spec/service": { port: 70000 },
      "spec/caBundle": "eA==",
      "spec/insecureSkipTLSVerify": true,
    },
  }),
});
