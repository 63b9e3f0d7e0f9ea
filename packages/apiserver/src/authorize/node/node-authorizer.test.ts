import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../../server.ts";
import { nodeAuthorizer } from "./node-authorizer.ts";

const user = { name: "system:node:n1", groups: ["system:nodes"] };
const request = { type: "resource", user, verb: "get", group: "", version: "v1", subresource: "" } as const;

test("a pod on the node grants its Secrets, and a mirror pod grants nothing", async () => {
  const pod = (name: string, nodeName: string, annotations: object) => ({
    metadata: { name, namespace: "a", annotations },
    spec: { nodeName, volumes: [{ name: "v", secret: { secretName: `of-${name}` } }] },
  });
  const pods = [
    pod("plain", "n1", {}),
    pod("mirror", "n1", { "kubernetes.io/config.mirror": "x" }),
    pod("far", "n2", {}),
  ];
  const authorizer = nodeAuthorizer({
    get: () => undefined,
    list: (resource, namespace) => (resource === "pods" && namespace === "a" ? (pods as never[]) : []),
  });
  const verdictOn = async (name: string, namespace = "a"): Promise<string> =>
    (await authorizer.authorize({ ...request, resource: "secrets", namespace, name })).verdict;
  assert.equal(await verdictOn("of-plain"), "Allow");
  assert.equal(await verdictOn("of-plain", "b"), "NoOpinion");
  assert.equal(await verdictOn("of-mirror"), "NoOpinion");
  assert.equal(await verdictOn("of-far"), "NoOpinion");
});

test("reviews of rules say that those of a node are not complete", async () => {
  const binding = {
    metadata: { name: "b" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "missing" },
    subjects: [{ kind: "User", name: "system:node:n1" }],
  };
  const missing = 'role.rbac.authorization.k8s.io "missing" not found';
  const answers = {
    "node-and-rbac": [true, `[node authorizer does not support user rule resolution, ${missing}]`],
    rbac: [false, missing],
  } as const;
  for (const authorization of ["node-and-rbac", "rbac"] as const) {
    await using server = await startApiServer({ authorization });
    const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
      server.fetch(
        new Request(`http://in-process/apis/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
        }),
      );
    await post("rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", binding);
    const review = await post(
      "authorization.k8s.io/v1/selfsubjectrulesreviews",
      { spec: { namespace: "default" } },
      { "impersonate-user": "system:node:n1", "impersonate-group": "system:nodes" },
    );
    const { status } = (await review.json()) as { status: { incomplete: boolean; evaluationError: string } };
    assert.deepEqual([status.incomplete, status.evaluationError], answers[authorization]);
  }
});
