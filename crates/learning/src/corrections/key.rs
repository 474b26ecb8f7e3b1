//! The members of a correction.

/// The object that a member stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Top,
    AiAction,
    UserCorrection,
    Context,
}

impl Scope {
    /// The JSON pointer to the object.
    pub(super) const fn pointer(self) -> &'static str {
        match self {
            Self::Top => "",
            Self::AiAction => "/ai_action",
            Self::UserCorrection => "/user_correction",
            Self::Context => "/context",
        }
    }

    /// The names of its members.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        let keys = Key::ALL.iter().filter(move |key| key.scope() == self);
        keys.map(|key| key.name())
    }
}

macro_rules! keys {
    ($($key:ident = $scope:ident $name:literal $need:ident $value:ident,)*) => {
        /// A member of a correction or of an object in it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Key {
            $($key,)*
        }

        impl Key {
            pub(super) const ALL: &[Self] = &[$(Self::$key),*];
            pub(super) const COUNT: usize = Self::ALL.len();

            /// The member of this name in an object.
            #[inline]
            pub(super) fn find(scope: Scope, name: &str) -> Option<Self> {
                match (scope, name) {
                    $((Scope::$scope, $name) => Some(Self::$key),)*
                    _ => None,
                }
            }

            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$key => $name,)*
                }
            }

            pub(super) const fn scope(self) -> Scope {
                match self {
                    $(Self::$key => Scope::$scope,)*
                }
            }

            pub(super) const fn need(self) -> Need {
                match self {
                    $(Self::$key => Need::$need,)*
                }
            }

            /// The object that the member is; `None` if it is a text.
            pub(super) const fn object(self) -> Option<Scope> {
                match self {
                    $(Self::$key => keys!(@object $value),)*
                }
            }
        }
    };
    (@object Text) => { None };
    (@object $scope:ident) => { Some(Scope::$scope) };
}

/// Whether a member must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
}

keys! {
    Date = Top "date" Required Text,
    Timestamp = Top "timestamp" Required Text,
    Agent = Top "agent" Required Text,
    SessionId = Top "session_id" Optional Text,
    CorrectionType = Top "correction_type" Required Text,
    AiAction = Top "ai_action" Required AiAction,
    ActionSummary = AiAction "summary" Required Text,
    ToolUsed = AiAction "tool_used" Optional Text,
    File = AiAction "file" Optional Text,
    UserCorrection = Top "user_correction" Required UserCorrection,
    UserSummary = UserCorrection "summary" Required Text,
    Verbatim = UserCorrection "verbatim" Optional Text,
    PatternInferred = Top "pattern_inferred" Optional Text,
    PatternConfidence = Top "pattern_confidence" Optional Text,
    Context = Top "context" Optional Context,
    Task = Context "task" Optional Text,
    FeatureId = Context "feature_id" Optional Text,
    Service = Context "service" Optional Text,
    Severity = Top "severity" Optional Text,
    Source = Top "source" Required Text,
}

impl Key {
    /// The JSON pointer to the member.
    pub(super) fn pointer(self) -> String {
        format!("{}/{}", self.scope().pointer(), self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_is_found_by_its_name_in_its_object_alone() {
        for key in Key::ALL {
            assert_eq!(Key::find(key.scope(), key.name()), Some(*key));
        }
        assert_eq!(Key::find(Scope::Top, "summary"), None);
        assert_eq!(Key::File.pointer(), "/ai_action/file");
        assert_eq!(Key::Date.pointer(), "/date");
        let names: Vec<_> = Scope::UserCorrection.names().collect();
        assert_eq!(names, ["summary", "verbatim"]);
        assert_eq!(Key::Context.object(), Some(Scope::Context));
        assert_eq!(Key::Task.object(), None);
    }
}
