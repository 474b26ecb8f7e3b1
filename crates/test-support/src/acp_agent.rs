//! A scripted agent of the Agent Client Protocol: a shell script.

/// The commands of the script of a turn. Strings are JSON strings; what was received is
/// kept line by line in `$HOME/received`.
const WORDS: &str = r#"
receive() {
    IFS= read -r line || exit 0
    printf '%s\n' "$line" >> "$HOME/received"
    id=${line#*\"id\":}
    id=${id%%[,\}]*}
}
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
update() {
    printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":%s}}\n' "${session:-s}" "$1"
}
says() {
    update "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":$1}}"
}
# ID KIND STATUS [PATH]
tool() {
    update "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"$1\",\"title\":\"$2\",\"kind\":\"$2\",\"status\":\"pending\"}"
    update "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"$1\",\"status\":\"$3\",\"locations\":[{\"path\":\"$4\"}]}"
}
# KIND PATH: whether it is allowed
asks() {
    printf '{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"%s","kind":"%s","locations":[{"path":"%s"}]},"options":[{"optionId":"ever","kind":"allow_always","name":"a"},{"optionId":"yes","kind":"allow_once","name":"b"},{"optionId":"no","kind":"reject_once","name":"c"}]}}\n' "$1" "$1" "$2"
    receive
    case $line in *'"optionId":"yes"'*) ;; *) false ;; esac
}
# METHOD: what the client says to a request of the agent
requests() {
    printf '{"jsonrpc":"2.0","id":"r","method":"%s","params":{}}\n' "$1"
    receive
}
# The ids of the prompt, as $review_id and $end_id
ids() {
    review_id=${line#*'\"review_id\": \"'}
    review_id=${review_id%%'\'*}
    end_id=${line##*'\"end_id\" is \"'}
    end_id=${end_id%%'\'*}
}
# TEXT: a JSON string
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')"; }
fails() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "$prompt" "$1" "$2"; }
ends() { id=$prompt; answer "{\"stopReason\":\"$1\",\"usage\":{\"inputTokens\":100,\"outputTokens\":20,\"totalTokens\":120}}"; }
"#;

/// The name and capabilities of an agent, unless a script has its own.
pub const AGENT: &str = r#"{"protocolVersion":1,"agentInfo":{"name":"Scripted","version":"1.0.0"},"agentCapabilities":{"loadSession":true}}"#;

/// The program of an agent that answers `initialize` with `agent`, opens `session`, and
/// then does `turn`, a script: `says '"TEXT"'`, `tool ID KIND STATUS PATH`,
/// `asks KIND PATH`, `requests METHOD`, `update UPDATE`, `ends REASON`,
/// `fails CODE MESSAGE`. `ids` finds those of the prompt, and `quoted TEXT` makes a JSON
/// string; after `session=ID` it speaks in another session. Where it
/// offers modes, it takes the request that sets one before the prompt.
#[must_use]
pub fn program(agent: &str, session: &str, turn: &str) -> String {
    format!(
        "#!/bin/sh\n{WORDS}\nreceive; answer '{agent}'\nreceive; answer '{session}'\nreceive\n\
         case $line in *'\"session/set_'*) answer '{{}}'; receive ;; esac\nprompt=$id\n{turn}\n"
    )
}
