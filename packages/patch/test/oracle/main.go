// The oracle answers patch questions with the libraries that kube-apiserver uses. It reads a JSON list of questions
// from standard input and writes the list with an answer to each.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
)

type question struct {
	Kind     string          `json:"kind"`
	Document json.RawMessage `json:"document,omitempty"`
	Patch    json.RawMessage `json:"patch,omitempty"`
	Original json.RawMessage `json:"original,omitempty"`
	Modified json.RawMessage `json:"modified,omitempty"`
	Current  json.RawMessage `json:"current,omitempty"`
	Type     string          `json:"type,omitempty"`
	Schema   string          `json:"schema,omitempty"`
	Steps    []step          `json:"steps,omitempty"`
	Answer   any             `json:"answer"`
}

type answer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

func toAnswer(result []byte, err error) answer {
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Result: result}
}

// guard turns a panic of a library into an answer: the server recovers from it too, with an inner error.
func guard(run func() answer) (out answer) {
	defer func() {
		if failure := recover(); failure != nil {
			out = answer{Error: fmt.Sprintf("panic: %v", failure)}
		}
	}()
	return run()
}

func (q *question) answer() any {
	switch q.Kind {
	case "json-patch":
		return guard(func() answer { return toAnswer(applyJSONPatch(q.Document, q.Patch)) })
	case "merge-patch":
		return guard(func() answer { return toAnswer(jsonpatch.MergePatch(q.Document, q.Patch)) })
	case "create-merge-patch":
		return guard(func() answer { return toAnswer(jsonpatch.CreateMergePatch(q.Original, q.Modified)) })
	case "three-way-merge-patch":
		return guard(func() answer {
			return toAnswer(jsonmergepatch.CreateThreeWayJSONMergePatch(q.Original, q.Modified, q.Current))
		})
	case "strategic", "create-strategic", "three-way-strategic":
		return guard(func() answer { return toAnswer(q.strategic()) })
	case "managed-fields":
		return runSteps(q)
	}
	return answer{Error: "unknown question: " + q.Kind}
}

func applyJSONPatch(document, patch []byte) ([]byte, error) {
	jsonpatch.AccumulatedCopySizeLimit = 3 * 1024 * 1024
	decoded, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	return decoded.Apply(document)
}

func main() {
	var questions []*question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		panic(err)
	}
	for _, q := range questions {
		q.Answer = q.answer()
	}
	if err := json.NewEncoder(os.Stdout).Encode(questions); err != nil {
		panic(err)
	}
}
