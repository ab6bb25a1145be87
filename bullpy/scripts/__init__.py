"""One typed function per Lua script: values in, a `ScriptCall` out, the reply decoded. No I/O."""
