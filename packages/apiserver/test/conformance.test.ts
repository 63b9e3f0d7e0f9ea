/**
 * The conformance cases, compared with recordings of kube-apiserver: all in process, a sample over HTTP. The long tests play all over
 * HTTP.
 */
import { test } from "node:test";
import { isSampled, playCases } from "./conformance-transport.ts";

test("responses in process match kube-apiserver", (t) => playCases(t, "in process", () => true));

test("responses of a sample over HTTP match kube-apiserver", (t) => playCases(t, "over HTTP", isSampled));
