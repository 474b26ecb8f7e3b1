//! Files that are templates.

/// Whether a path is that of a template: by its file name, or by a folder of templates
/// or one with a placeholder for a number.
pub(crate) fn is_template(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').find(|part| !part.is_empty());
    let last = stem.and_then(|stem| stem.rsplit(['-', '_', ' ']).next());
    last.is_some_and(is_called_template) || folders.split('/').any(is_folder_of_templates)
}

fn is_folder_of_templates(folder: &str) -> bool {
    let name = folder.trim_start_matches(['.', '_']);
    let head = name.get(.."nnnn".len()).unwrap_or_default();
    is_called_template(name)
        || head.eq_ignore_ascii_case("nnnn")
        || head.eq_ignore_ascii_case("xxxx")
}

fn is_called_template(word: &str) -> bool {
    word.eq_ignore_ascii_case("template") || word.eq_ignore_ascii_case("templates")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_recognized_by_their_names() {
        for path in [
            "template.md",
            "specs/SPEC_TEMPLATE.md",
            "0000-template.md",
            "templates/spec.md",
            "a/_template/b/spec.md",
            ".templates/spec.md",
            "keps/NNNN-title/README.md",
            "xxxx/a.md",
            "my templates.md",
        ] {
            assert!(is_template(path), "{path}");
        }
    }

    #[test]
    fn documents_about_templates_are_not_templates() {
        for path in [
            "",
            "specs/TEMPLATE-ENGINE.md",
            "specs/pod-template/README.md",
            "docs/templated.md",
            "specs/CACHE.template.md",
            "specs/contemplate.md",
        ] {
            assert!(!is_template(path), "{path}");
        }
    }
}
