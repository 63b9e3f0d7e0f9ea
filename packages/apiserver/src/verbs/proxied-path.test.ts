import assert from "node:assert/strict";
import { test } from "node:test";
import { splitProxied } from "./proxied-path.ts";

const proxy = "/api/v1/namespaces/a/pods/web/proxy";

/** The path that kube-apiserver sends to a pod: `path.Join` of the decoded segments, then `URL.EscapedPath`. */
const cases: readonly (readonly [rest: string, segments: number, sent: string])[] = [
  ["", 0, "/"],
  ["/", 0, "/"],
  ["/a/b?c=/../d%2f", 2, "/a/b?c=/../d%2f"],
  ["/a/b/", 2, "/a/b/"],
  ["/..", 1, "/"],
  ["/../../../exec/b/victim/app", 7, "/exec/b/victim/app"],
  ["/%2e%2e/%2E./.%2e/pods", 4, "/pods"],
  ["/..%2f..%2fpods", 3, "/pods"],
  ["/a//b/./c/../d/", 7, "/a/b/d/"],
  ["/%252e%252e/x", 2, "/%252e%252e/x"],
  ["/..;/x\\..\\y", 2, "/..;/x%5C..%5Cy"],
  ["/%ff/%C3%A4/ä", 3, "/%FF/%C3%A4/%C3%A4"],
  ["/a%3Fb%23c%20d!", 1, "/a%3Fb%23c%20d%21"],
  ["/http://elsewhere/", 3, "/http:/elsewhere/"],
  ["/x/proxy", 2, "/x/proxy"],
];

for (const [rest, segments, sent] of cases) {
  test(`a proxied request for ${rest} is sent as ${sent}`, () => {
    assert.deepEqual(splitProxied(proxy + rest, segments), { prefix: proxy, rest: sent });
  });
}
