package main

import "go.uber.org/zap/zapcore"

// Only errors are logged: writing logs is not what is measured.
type zapErrorLevel struct{}

func (zapErrorLevel) Enabled(level zapcore.Level) bool { return level >= zapcore.ErrorLevel }
