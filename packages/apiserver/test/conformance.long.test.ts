/** All conformance cases over HTTP. */
import { test } from "node:test";
import { playCases } from "./conformance-transport.ts";

test("responses over HTTP match kube-apiserver", (t) => playCases(t, "over HTTP", () => true));
