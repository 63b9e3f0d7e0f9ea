import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseContext, parseKubeconfig } from "@capstan/client";
import { connectOther, outsideOf } from "./other-cluster.ts";

const kubeconfig = (user: object, cluster: object = {}): string =>
  JSON.stringify({
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: "https://127.0.0.1:1", ...cluster } }],
    users: [{ name: "a", user }],
  });

const outside = async (user: object, cluster: object = {}): Promise<string | undefined> =>
  outsideOf(chooseContext(await parseKubeconfig(kubeconfig(user, cluster), "Secret")));

test("a kubeconfig of a Secret uses neither programs nor files of the machine", async () => {
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "steal", interactiveMode: "Never" };
  assert.match((await outside({ exec })) ?? "", /the program steal/u);
  assert.match((await outside({ tokenFile: "/etc/token" })) ?? "", /the file \/etc\/token/u);
  assert.match(
    (await outside({ token: "t", "client-certificate": "/etc/cert", "client-key": "/etc/key" })) ?? "",
    /the file \/etc\/cert/u,
  );
  assert.match((await outside({ token: "t" }, { "certificate-authority": "/etc/ca" })) ?? "", /the file \/etc\/ca/u);
  assert.equal(await outside({ token: "t" }), undefined);
  await assert.rejects(connectOther(kubeconfig({ exec })), /its kubeconfig uses the program/u);
});
