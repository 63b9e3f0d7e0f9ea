// The oracle of bundles: what operator-framework/api and operator-registry say about folders, one JSON answer a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
	"github.com/operator-framework/api/pkg/validation/errors"
	interfaces "github.com/operator-framework/api/pkg/validation/interfaces"
	registrybundle "github.com/operator-framework/operator-registry/pkg/lib/bundle"
	"github.com/sirupsen/logrus"
	"sigs.k8s.io/yaml"
)

// question names a bundle's folder and the values that optional validators are handed.
type question struct {
	Dir    string            `json:"dir"`
	Values map[string]string `json:"values"`
}

type finding struct {
	Type  string `json:"type"`
	Level string `json:"level"`
	Text  string `json:"text"`
}

type answer struct {
	Panic   string               `json:"panic,omitempty"`
	Load    string               `json:"load,omitempty"`
	Format  []string             `json:"format"`
	Results map[string][]finding `json:"results"`
}

var validators = map[string]interfaces.Validator{
	"bundle":                validation.BundleValidator,
	"csv":                   validation.ClusterServiceVersionValidator,
	"crd":                   validation.CustomResourceDefinitionValidator,
	"objects":               validation.ObjectValidator,
	"operatorhubv2":         validation.OperatorHubV2Validator,
	"operatorhub":           validation.OperatorHubValidator,
	"capabilities":          validation.StandardCapabilitiesValidator,
	"categories":            validation.StandardCategoriesValidator,
	"community":             validation.CommunityOperatorValidator,
	"alpha-deprecated-apis": validation.AlphaDeprecatedAPIsValidator,
	"good-practices":        validation.GoodPracticesValidator,
}

// withPlatforms is asked only where a program called docker answers from files, as record.ts arranges it.
var withPlatforms = os.Getenv("ORACLE_IMAGES") != ""

func main() {
	logrus.SetOutput(io.Discard)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		if err := out.Encode(judge(asked)); err != nil {
			panic(err)
		}
	}
}

func judge(asked question) (said answer) {
	said = answer{Format: formatProblems(asked.Dir), Results: map[string][]finding{}}
	defer func() {
		if problem := recover(); problem != nil {
			said.Panic = fmt.Sprint(problem)
		}
	}()
	bundle, err := manifests.GetBundleFromDir(manifestsDir(asked.Dir))
	if err != nil {
		said.Load = err.Error()
		return said
	}
	addMetadata(asked.Dir, bundle)
	objects := append(bundle.ObjectsToValidate(), asked.Values)
	if withPlatforms {
		said.Results["multiarch"] = run(validation.MultipleArchitecturesValidator, objects)
	}
	for name, validator := range validators {
		said.Results[name] = run(validator, objects)
	}
	return said
}

// manifestsDir is where the annotations say that the manifests are.
func manifestsDir(dir string) string {
	annotations := registrybundle.AnnotationMetadata{}
	text, err := os.ReadFile(filepath.Join(dir, "metadata", "annotations.yaml"))
	if err == nil {
		err = yaml.Unmarshal(text, &annotations)
	}
	if label, ok := annotations.Annotations[registrybundle.ManifestsLabel]; err == nil && ok {
		return filepath.Join(dir, label)
	}
	return filepath.Join(dir, "manifests")
}

// addMetadata reads package and channels, which operator-sdk leaves out because it loads the manifests alone.
func addMetadata(dir string, bundle *manifests.Bundle) {
	whole, err := manifests.GetBundleFromDir(dir)
	if err != nil || whole == nil {
		return
	}
	bundle.Package, bundle.Channels, bundle.DefaultChannel = whole.Package, whole.Channels, whole.DefaultChannel
}

func run(validator interfaces.Validator, objects []interface{}) []finding {
	findings := []finding{}
	for _, result := range validator.Validate(objects...) {
		for _, one := range append(append([]errors.Error{}, result.Warnings...), result.Errors...) {
			findings = append(findings, finding{Type: string(one.Type), Level: string(one.Level), Text: one.Error()})
		}
	}
	return findings
}

func formatProblems(dir string) []string {
	problems := []string{}
	err := registrybundle.NewImageValidator(nil, logrus.NewEntry(logrus.StandardLogger())).ValidateBundleFormat(dir)
	if err == nil {
		return problems
	}
	if all, ok := err.(registrybundle.ValidationError); ok {
		for _, one := range all.Errors {
			problems = append(problems, one.Error())
		}
		return problems
	}
	return append(problems, err.Error())
}
