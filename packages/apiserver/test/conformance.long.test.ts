/** All conformance cases over HTTP. */
import { test } from "node:test";
import { playCases } from "./conformance-door.ts";

test("answers over HTTP as kube-apiserver does", (t) => playCases(t, "over HTTP", () => true));
